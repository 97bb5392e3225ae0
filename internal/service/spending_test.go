package service

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestBookKeepsEveryAttempt enters a history of two attempts, one of which is
// under way and another unknown.
func TestBookKeepsEveryAttempt(t *testing.T) {
	b := newBook()
	var head core.Head
	for i, body := range []core.Body{
		core.TaskAdmitted{Task: "build.r1", Stage: "build", Role: "developer"},
		core.AttemptRequested{Task: "build.r1", Attempt: "build.r1.a1", N: 1},
		core.AttemptStarted{Attempt: "build.r1.a1", Agent: "claude"},
		core.UsageObserved{Attempt: "build.r1.a1", Usage: core.Usage{CostUSD: 1}},
		core.AttemptExited{Attempt: "build.r1.a1", Kind: core.ExitFailed, Usage: core.Usage{CostUSD: 2, OutputTokens: 9}},
		core.AttemptRequested{Task: "build.r1", Attempt: "build.r1.a2", N: 2},
		core.UsageObserved{Attempt: "build.r1.a2", Usage: core.Usage{CostUSD: 3}},
		core.AttemptExited{Attempt: "gone", Usage: core.Usage{CostUSD: 99}},
	} {
		ev, _, err := core.Seal(core.RunStream("r"), head, at.Add(time.Duration(i)*time.Minute), core.Engine(), "", body)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.take(ev); err != nil {
			t.Fatal(err)
		}
	}
	minute := func(n int) time.Time { return at.Add(time.Duration(n) * time.Minute) }
	want := []api.AttemptSpending{
		{
			Attempt: "build.r1.a1", Task: "build.r1", Stage: "build", Role: "developer", Agent: "claude",
			StartedAt: minute(2), At: minute(4), Over: true, Usage: core.Usage{CostUSD: 2, OutputTokens: 9},
		},
		{Attempt: "build.r1.a2", Task: "build.r1", Stage: "build", Role: "developer", StartedAt: minute(5), At: minute(6), Usage: core.Usage{CostUSD: 3}},
	}
	if diff := cmp.Diff(want, b.attempts); diff != "" {
		t.Error(diff)
	}
}
