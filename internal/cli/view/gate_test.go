package view_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestReasonsHaveALineEach: a plan with several mistakes is read one by one, also
// where no stage is there yet.
func TestReasonsHaveALineEach(t *testing.T) {
	run := api.Run{Alias: "brisk-otter", Title: "Greet", Status: core.StatusPaused, Reason: "line 3: one\nline 5: two"}
	got := strings.Join(plain().Run(api.RunDetail{Run: run}), "\n")
	if !strings.Contains(got, "\n\n  line 3: one\n  line 5: two") || strings.Contains(got, "\n\n\n") {
		t.Errorf("got\n%s", got)
	}
}
