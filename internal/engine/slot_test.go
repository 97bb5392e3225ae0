package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// TestEverybodyGetsTheSlot has several runs wait for one slot: each release
// hints at all of them, one is quicker, and the others must go on waiting.
func TestEverybodyGetsTheSlot(t *testing.T) {
	const runs = 6
	b := newBench(t)
	l := core.DefaultLimits()
	l.Parallel = 1
	for i := range runs {
		b.submit(fmt.Sprint("r", i), core.Person("me"), start(fmt.Sprint("r", i), l))
	}
	ended := map[string]bool{}
	for range runs {
		next := ""
		b.recorder.await(t, "the next attempt", func(a core.Action) bool {
			s, ok := a.(core.StartAttempt)
			if !ok {
				return false
			}
			run, _, _ := strings.Cut(strings.TrimPrefix(s.Event, "run/"), "#")
			if !ended[run] {
				next = run
			}
			return !ended[run]
		})
		ended[next] = true
		b.submit(next, core.Person("me"), core.RunCancelled{})
		b.submit(next, core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	}
}

// TestAReleasedSlotIsTakenAtOnce: the run that waits for it is hinted at, long before the next regular look.
func TestAReleasedSlotIsTakenAtOnce(t *testing.T) {
	b := newBench(t)
	b.stop()
	b.recorder = newRecorder()
	b.engine = b.on(b.store, engine.Options{Deciders: []core.Decider{phases.Decider{}}, Look: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.engine.Run(ctx) }()
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.submit("r1", core.Person("me"), start("r1", limits))
	b.submit("r2", core.Person("me"), start("r2", limits))
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	b.recorder.await(t, "the other run's attempt", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r2#")
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestARunGivesUpWhatAnEarlierEngineTook: its branch and its slots, once it is over.
func TestARunGivesUpWhatAnEarlierEngineTook(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	held, err := b.store.Claims(t.Context())
	if err != nil || len(held) < 2 {
		t.Fatalf("a run at work holds %v, %v", held, err)
	}
	b.close()
	b.open()
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	if held, err = b.store.Claims(t.Context()); err != nil || len(held) > 0 {
		t.Errorf("a run that is over holds %v, %v", held, err)
	}
}
