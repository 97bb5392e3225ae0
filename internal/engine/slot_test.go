package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestEverybodyGetsTheSlot has several runs wait for one slot: each release
// wakes all of them, one is quicker, and the others must go on waiting.
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
