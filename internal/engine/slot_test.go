package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
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
