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

// TestAnAttemptTakesItsSlotWhereItBegins: while nobody owns a project, it takes one where the word is said. Whoever comes to own
// the project has the attempt at its own place, unless all slots are taken there or the attempt runs already.
func TestAnAttemptTakesItsSlotWhereItBegins(t *testing.T) {
	const here, elsewhere = "local", "elsewhere"
	limits := core.DefaultLimits()
	limits.Parallel = 1
	for name, test := range map[string]struct {
		runs, full bool
		want       string
	}{
		"not begun": {want: here}, "under way": {runs: true, want: elsewhere}, "all taken": {full: true, want: elsewhere},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if test.full {
				b.running("r2", limits)
			}
			b.stop()
			if err := b.engine.Leave(t.Context()); err != nil {
				t.Fatal(err)
			}
			hearer := b.with(engine.Options{ID: "other", Place: elsewhere, Deciders: []core.Decider{phases.Decider{}}})
			words := []core.Body{start("r1", limits), core.AttemptStarted{Attempt: "a.r1.a1"}}
			if !test.runs {
				words = words[:1]
			}
			for _, word := range words {
				actor := core.Person("me")
				if core.TypeOf(word) == core.TypeAttemptStarted {
					actor = core.Engine()
				}
				if _, err := hearer.Submit(t.Context(), "r1", actor, word); err != nil {
					t.Fatal(err)
				}
			}
			place := func() string {
				t.Helper()
				rows, err := b.store.Slots(t.Context(), core.RunStream("r1"))
				if err != nil || len(rows) != 1 || !rows[0].Held {
					t.Fatalf("the run has %+v, %v", rows, err)
				}
				_, place, _ := strings.Cut(rows[0].Pools[0].Key, "@")
				return place
			}
			if at := place(); at != elsewhere {
				t.Fatalf("a slot was taken at %s", at)
			}
			before := b.recorder.handed("r1")
			if err := b.engine.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.recorder.awaitHanded(t, "r1", before+1)
			if at := place(); at != test.want {
				t.Errorf("the slot is at %s, not at %s", at, test.want)
			}
		})
	}
}
