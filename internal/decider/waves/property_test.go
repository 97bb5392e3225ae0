package waves_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWavesComeToAnEnd plays random planners, workers and people. Nothing begins
// before admission holds, nothing is asked twice, the run always goes on or says
// what it waits for; and once nothing goes wrong any more it is completed.
func TestWavesComeToAnEnd(t *testing.T) {
	for _, writes := range []core.Writes{core.WritesArtifacts, core.WritesCode} {
		t.Run(string(writes), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				w := newWorld(t, func(_ string, n int) int { return dice.IntN(n) }).begin(writes)
				toTheEnd(w, rapid.IntRange(0, 250).Draw(t, "rough"))
			})
		})
	}
}

// TestFewWaves plays runs that come to their last wave: whatever can go on in it
// does.
func TestFewWaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		w := newWorld(t, func(_ string, n int) int { return dice.IntN(n) }).begin(core.WritesCode)
		most := rapid.IntRange(1, 3).Draw(t, "waves")
		w.run.Playbook.Project.Waves.Waves = most
		for i := 0; i < 300 && !w.run.Status.Terminal(); i++ {
			w.once()
		}
		if w.run.Waves.N > most {
			t.Fatalf("wave %d of %d\n%s", w.run.Waves.N, most, w.account())
		}
	})
}

func toTheEnd(w *world, rough int) {
	for i := 0; !w.run.Status.Terminal(); i++ {
		w.kind = i > rough
		if i > rough+2000 {
			w.t.Fatalf("the run does not end:\n%s", w.account())
		}
		w.once()
	}
	if w.run.Status != core.StatusCompleted {
		w.t.Fatalf("the run ended as %s\n%s", w.run.Status, w.account())
	}
	for w.kind = true; !w.run.Swept; {
		w.once()
	}
	delete(w.refs, "refs/heads/"+w.run.Branch)
	if len(w.refs) > 0 {
		w.t.Fatalf("these branches are left over: %v\n%s", w.refs, w.account())
	}
}
