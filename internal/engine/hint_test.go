package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestNobodyIsToldThatATakenSlotIsFree: looks at a run that waits leave no trace in it.
func TestNobodyIsToldThatATakenSlotIsFree(t *testing.T) {
	b := newBench(t)
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.submit("r1", core.Person("me"), start("r1", limits))
	b.submit("r2", core.Person("me"), start("r2", limits))
	b.recorder.awaitHanded(t, "r2", 2) // by the step, and by the look that follows it
	if b.load("r2"); slices.Contains(b.types("r2"), core.TypeClaimFreed) {
		t.Errorf("the slot is taken; the run has %v", b.types("r2"))
	}
}

// attentive remembers which commits send no signal.
type attentive struct {
	store.Store
	mu       sync.Mutex
	attended []bool
}

func (a *attentive) Commit(ctx context.Context, c store.Commit) error {
	a.mu.Lock()
	a.attended = append(a.attended, c.Attended)
	a.mu.Unlock()
	return a.Store.Commit(ctx, c)
}

// TestOnlyATimeBeforeTheNextLookIsWorthAHint: what is due later is found by the look that comes anyway.
func TestOnlyATimeBeforeTheNextLookIsWorthAHint(t *testing.T) {
	for wall, attended := range map[time.Duration]bool{time.Millisecond: false, time.Hour: true} {
		var seen *attentive
		b := newBench(t)
		b.close()
		b.wrap = func(s store.Store) store.Store { seen = &attentive{Store: s}; return seen }
		b.rest()
		limits := core.DefaultLimits()
		limits.WallTime = wall
		if _, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), start("r1", limits)); err != nil {
			t.Fatal(err)
		}
		if want := []bool{attended}; !slices.Equal(seen.attended, want) {
			t.Errorf("due in %s, looked at every 10 ms: attended %v, want %v", wall, seen.attended, want)
		}
	}
}
