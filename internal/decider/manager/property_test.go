package manager_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestManagedProjectsComeToAnEnd plays random histories of a manager, workers,
// people and a forge. From some point on nothing goes wrong any more, and the
// project must be completed.
func TestManagedProjectsComeToAnEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		toTheEnd(newWorld(t, draw).begin(), rapid.IntRange(0, 150).Draw(t, "rough"))
	})
}

// TestLongManagedProjectsComeToAnEnd is the same with even dice: the other test
// leans towards what is short, and so towards bad luck.
func TestLongManagedProjectsComeToAnEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		toTheEnd(newWorld(t, func(_ string, n int) int { return dice.IntN(n) }).begin(), rapid.IntRange(100, 400).Draw(t, "rough"))
	})
}

func toTheEnd(w *world, rough int) {
	for i := 0; !w.run.Status.Terminal(); i++ {
		if i > rough {
			w.kind = true
		}
		if i > rough+1000 {
			w.t.Fatalf("the run does not end:\n%s", w.account())
		}
		w.once()
	}
	w.restart()
	if w.run.Status == core.StatusCancelled {
		return
	}
	if w.run.Status != core.StatusCompleted {
		w.t.Fatalf("the run ended as %s", w.run.Status)
	}
	w.watch.complete(w)
}
