package dispatch

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAttemptsInTheTable are those of the last round, which the table says: the sum
// below it has the others, too.
func TestAttemptsInTheTable(t *testing.T) {
	run := &core.Run{Goal: "Greet", Attempts: 2, Stages: []*core.Stage{{
		ID: "build", Status: core.StageDone, Round: 2, Tasks: []*core.Task{{ID: "build.r2", Requested: 1}},
	}}}
	got := description(run)
	for _, want := range []string{"| stage | rounds | attempts in the last round |", "| build | 2 | 1 |", "2 attempts in all."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
