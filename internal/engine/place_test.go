package engine_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// TestAWordTakesSlotsWhereTheOwnerIs: an attempt that begins at a word given elsewhere waits for a slot of the machine that
// will carry it out, and takes none of the machine where it was said.
func TestAWordTakesSlotsWhereTheOwnerIs(t *testing.T) {
	b := newBench(t)
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.running("r1", limits) // the only slot of the owner's place
	elsewhere := b.with(engine.Options{ID: "other", Place: "elsewhere", Deciders: []core.Decider{phases.Decider{}}})
	me := core.Person("me")
	for _, word := range []core.Body{
		start("r2", limits), core.RunPaused{Code: core.PausePerson, Reason: "lunch"}, core.RunResumed{},
	} {
		if _, err := elsewhere.Submit(t.Context(), "r2", me, word); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := b.store.Slots(t.Context(), core.RunStream("r2"))
	if err != nil || len(rows) != 1 || rows[0].Held || rows[0].Pools[0].Key != core.AttemptSlots(b.engine.Place()) {
		t.Errorf("the second run has %+v, %v", rows, err)
	}
	task := b.load("r2").Current().Tasks[0]
	if task.Blocked == nil || task.Blocked.Key != core.AttemptSlots(b.engine.Place()) {
		t.Errorf("it waits for %+v", task.Blocked)
	}
	if _, err := elsewhere.Submit(t.Context(), "r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)}); err != nil {
		t.Fatal(err)
	}
	b.recorder.await(t, "the second run's attempt at the owner", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r2#")
	})
}
