package view_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestTitlesAreReadable: long names leave no room for titles beside them, so they stand below.
func TestTitlesAreReadable(t *testing.T) {
	runs := []api.Run{
		{Alias: "second-greeting-for-all-57491c", Project: "one", Title: "Greet all people twice", Status: "active", Stage: "implement", StartedAt: start},
		{Alias: "calm-fox", Project: "two", Title: "Wait", Status: "active", Stage: "plan", StartedAt: start, Turn: "waits its turn: 1 of 1 attempts at work (second-greeting-for-all-57491c), limits.parallel"},
	}
	got := strings.Join(plain().Runs(runs), "\n")
	for _, want := range []string{"\n     Greet all people twice\n", "\n     Wait\n", "waits its turn   plan", "\n     waits its turn: 1 of 1 attempts at work"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	for line := range strings.SplitSeq(got, "\n") {
		if len(line) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
}

// TestAPausedRunIsNotToBeLookedAt: whoever looks at it sees why it is paused.
func TestAPausedRunIsNotToBeLookedAt(t *testing.T) {
	d := detail()
	d.Status, d.Pause = core.StatusPaused, &core.Pause{Code: core.PauseAttempts}
	d.Advice.Choices = (&core.Run{Alias: d.Alias}).Choices(core.VerbStatus, core.VerbRetry)
	d.Next = wording.Advice(d.Pause.Code, d.Advice)
	if got := strings.Join(plain().Run(d), "\n"); !strings.Contains(got, "next: `stellwerk retry brisk-otter`") || strings.Contains(got, "shows why") {
		t.Error(got)
	}
}
