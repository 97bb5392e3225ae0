package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

// TestAFreshSessionHearsWhatIsOpen: a session that carries no run, however it
// began, learns of the runs of its repository, and no engine is asked.
func TestAFreshSessionHearsWhatIsOpen(t *testing.T) {
	runs := []api.Run{
		{Alias: "brisk-otter", Title: "Add a\nsearch field", Status: "awaiting_approval", Stage: "plan", Session: "before", Kind: "phases"},
		{Alias: "calm-heron", Title: "The shop", Status: "active"},
	}
	d := newForeign(t)
	d.Open = func(dir string) []api.Run {
		if dir != "/project" {
			return nil
		}
		return runs
	}
	for _, source := range []string{"startup", "resume", "clear", "fork"} {
		a := d.answer(hook.EventSessionStart, map[string]any{"source": source})
		for _, want := range []string{
			"brisk-otter (Add a search field): waiting for an approval, at plan, last carried by another session", "/stellwerk:resume brisk-otter takes it up here",
			"calm-heron (The shop): active. `stellwerk status calm-heron`",
		} {
			if !strings.Contains(a.Message, want) {
				t.Errorf("%s: the person is not told %q: %s", source, want, a.Message)
			}
		}
		if a.Specific == nil || !strings.Contains(a.Specific.Context, "brisk-otter") || !strings.Contains(a.Specific.Context, "Do nothing about them") {
			t.Errorf("%s: the model is told %+v", source, a.Specific)
		}
	}
	for name, fields := range map[string]map[string]any{
		"a compaction": {"source": "compact"}, "another project": {"source": "startup", "cwd": "/project2"},
	} {
		if a := d.answer(hook.EventSessionStart, fields); a.Message != "" || a.Specific != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for i := range 9 {
		runs = append(runs, api.Run{Alias: fmt.Sprintf("run-%d", i), Title: strings.Repeat("long ", 400), Status: "paused", Kind: "phases"})
	}
	a := d.answer(hook.EventSessionStart, map[string]any{"source": "startup"})
	if !strings.Contains(a.Message, "and 8 more: `stellwerk status`") || len(a.Message) > MaxText {
		t.Errorf("%d bytes: %s", len(a.Message), a.Message)
	}
	d.asked()
	if d.started+d.existing != 0 {
		t.Error("an engine was looked for")
	}
}
