package wording_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestAPlaceInLine(t *testing.T) {
	for place, want := range map[int]string{0: "", 1: ", next in line", 2: ", number 2 in line", 21: ", number 21 in line"} {
		if got := wording.InLine(place); got != want {
			t.Errorf("%d: %q", place, got)
		}
	}
}
