package phases_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// waiting is a run whose one task waits, after some losses, for its next try.
func waiting(infra int, wait time.Duration) *core.Run {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	playbook := &core.Playbook{Kind: "phases", Phases: []core.Phase{{ID: "s", Role: "dev"}}}
	task := &core.Task{ID: "s.1", Stage: "s", Status: core.TaskWaiting, Limit: 3, Infra: infra, NotBefore: now.Add(wait)}
	return &core.Run{
		Status: core.StatusActive, Playbook: playbook, Limits: core.DefaultLimits(), Stream: core.Head{At: now},
		Stages: []*core.Stage{{ID: "s", Round: 1, Status: core.StageOpen, Base: "c0", Tasks: []*core.Task{task}}},
	}
}

// TestLossesAreCountedBeforeTheWait: a person is told at once that a task was lost too often, not after the longest
// wait of all.
func TestLossesAreCountedBeforeTheWait(t *testing.T) {
	limit := core.DefaultLimits().Infra
	for name, c := range map[string]struct {
		infra int
		wait  time.Duration
		want  []core.Type
	}{
		"may start":            {infra: limit, wait: 0, want: []core.Type{core.TypeAttemptRequested}},
		"waits":                {infra: limit, wait: time.Hour},
		"lost too often":       {infra: limit + 1, wait: 0, want: []core.Type{core.TypeRunPaused}},
		"lost, and would wait": {infra: limit + 1, wait: time.Hour, want: []core.Type{core.TypeRunPaused}},
	} {
		var got []core.Type
		for _, b := range (phases.Decider{}).Decide(waiting(c.infra, c.wait)) {
			got = append(got, core.TypeOf(b))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
