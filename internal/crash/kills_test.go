package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// Settings of these tests. STELLWERK_KILLS is how many engines are killed,
// STELLWERK_SEED repeats a choice of moments.
const (
	killsVariable = "STELLWERK_KILLS"
	seedVariable  = "STELLWERK_SEED"

	defaultKills = 24
)

func number(t *testing.T, variable string, otherwise int64) int64 {
	t.Helper()
	text, ok := os.LookupEnv(variable)
	if !ok || text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q, which is no number", variable, text)
	}
	return n
}

func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := number(t, seedVariable, time.Now().UnixNano())
	t.Logf("%s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(uint64(seed), 0))
}

// draw chooses when to kill: while the engine opens its state, at any time, or
// right after something happened, when the next steps are under way.
func draw(dice *rand.Rand) moment {
	within := func(most time.Duration) time.Duration { return time.Duration(dice.Int64N(int64(most))) }
	switch n := dice.IntN(20); {
	case n < 3:
		return moment{wait: within(300 * time.Millisecond)}
	case n < 11:
		return moment{open: true, wait: within(700 * time.Millisecond)}
	default:
		return moment{open: true, events: 1 + dice.IntN(6), wait: within(8 * time.Millisecond)}
	}
}

// TestKills kills engines at random moments while runs are under way, until
// enough were killed and every run has ended.
func TestKills(t *testing.T) {
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, "none", longStory)
	w.storm(kills, chance(t))
}

// TestKillsInTheSandbox does the same a little with isolated agents.
func TestKillsInTheSandbox(t *testing.T) {
	if kind, why := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, why)
	}
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, string(sandbox.Sandbox), longStory)
	w.storm(max(kills/10, 1), chance(t))
}

// storm starts wave after wave of runs and kills engines until the number is
// reached; each wave is then left in peace, and looked at.
func (w *world) storm(kills int, dice *rand.Rand) {
	w.t.Helper()
	began := time.Now()
	for wave := 0; w.kills < kills || wave == 0; wave++ {
		var branches []string
		for i := range w.story.parallel {
			branches = append(branches, fmt.Sprintf("feature/wave-%d-%d", wave, i))
		}
		w.wave(kills, dice, branches)
		w.verify(branches...)
	}
	w.t.Logf("%d kills, %d engines, %d runs, %d events in %s", w.kills, w.lives, w.runs, w.events, time.Since(began).Round(time.Second))
}

func (w *world) wave(kills int, dice *rand.Rand, branches []string) {
	w.t.Helper()
	for {
		l := w.live(w.order(branches...))
		if w.kills >= kills {
			l.end()
		} else {
			l.killAt(draw(dice))
		}
		if l.over.Load() {
			return
		}
		w.kills++
		if w.kills%5 == 0 {
			w.remembers()
		}
	}
}
