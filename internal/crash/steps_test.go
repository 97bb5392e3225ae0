package crash

import (
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// allSteps is from how many kills on every durable step is died at, before and
// after; below, every fifth, once.
const allSteps = 400

// TestKilledAtEveryDurableStep lets the engine die at the first durable step of
// a run, at the second of the next one, and so on until a run has no step left
// to die at. Each engine first completes what the one before it left.
func TestKilledAtEveryDurableStep(t *testing.T) {
	w := newWorld(t, "none", shortStory)
	stride := 5
	if number(t, killsVariable, defaultKills) >= allSteps {
		stride = 1
	}
	began := time.Now()
	var before []string
	for step := 1 + chance(t).IntN(stride); ; step += stride {
		died := false
		for _, after := range []bool{false, true} {
			if stride > 1 && after != (step%2 == 0) {
				continue
			}
			branch := fmt.Sprintf("feature/step-%d-%t", step, after)
			died = w.dieAt(before, branch, step, after)
			before = append(before, branch)
		}
		if !died {
			break
		}
	}
	w.verify(before...)
	t.Logf("%d kills, %d engines, %d runs, %d events in %s", w.kills, w.lives, w.runs, w.events, time.Since(began).Round(time.Second))
}

// TestKilledOnceAnAttemptIsOnRecord lets engines die in the moment in which the end of an attempt is committed: what that
// event names is there.
func TestKilledOnceAnAttemptIsOnRecord(t *testing.T) {
	const branch = "feature/on-record"
	w := newWorld(t, "none", shortStory)
	o := w.order(branch)
	for o.Spared, o.Only, o.After = []string{}, string(core.TypeAttemptExited), true; ; w.kills++ {
		l := w.live(o)
		l.end()
		if l.over.Load() {
			break
		}
		o.Spared = append(o.Spared, l.spare(false)...)
	}
	w.verify(branch)
	w.diedAt([]core.Type{core.TypeAttemptExited}, o.Spared)
}

// dieAt completes the runs before and lets the engine die at a step of a new
// one; false where the run had ended before that.
func (w *world) dieAt(before []string, branch string, step int, after bool) bool {
	w.t.Helper()
	o := w.order(before[max(0, len(before)-1):]...)
	o.Last, o.Step, o.After = branch, step, after
	l := w.live(o)
	l.end()
	if l.over.Load() {
		return false
	}
	w.kills++
	return true
}
