package core_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestPhaseNumbers(t *testing.T) {
	book := &core.Playbook{Phases: []core.Phase{
		{ID: "plan"}, {ID: "build"}, {ID: "doubt", When: ".a"}, {ID: "despair", When: ".b"}, {ID: "0"}, {ID: "publish"},
	}}
	if got := strings.Join(book.Numbers(), " "); got != "0 1 1.1 1.2 2 3" {
		t.Errorf("numbers %s", got)
	}
	r := &core.Run{Playbook: book}
	for _, p := range book.Phases {
		r.Stages = append(r.Stages, &core.Stage{ID: p.ID})
	}
	for name, want := range map[string]string{
		"plan": "plan", "1": "build", "1.2": "despair", "3": "publish",
		"0": "0", // an id goes before a number
		"4": "4", "-1": "-1", "01": "01", "": "", "nowhere": "nowhere",
	} {
		if got := r.Called(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	first := &core.Playbook{Phases: []core.Phase{{ID: "maybe", When: ".a"}, {ID: "build"}}}
	if got := strings.Join(first.Numbers(), " "); got != "0 1" {
		t.Errorf("a conditional first phase: %s", got)
	}
}
