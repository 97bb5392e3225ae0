package crash

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestProjectKills kills engines at random moments while a project is driven:
// while its steps are worked on side by side, merged and published.
func TestProjectKills(t *testing.T) {
	t.Parallel() // most of the time is waited
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, "none", projectStory)
	w.storm(max(kills/2, 1), chance(t))
}

// TestProjectKilledAtEveryDurableStep lets engines die at everything that only a
// project has.
func TestProjectKilledAtEveryDurableStep(t *testing.T) {
	t.Parallel() // most of the time is waited
	w := newWorld(t, "none", projectStory)
	w.everyStep(chance(t),
		core.TypePlanRead, core.TypePlanWriteRequested, core.TypePlanUpdated, core.TypeStageOpened, core.TypeStagePassed, core.TypeBranchMoved,
		core.TypeMergeConcluded, core.TypePublishConcluded, core.TypeReviewAwaited, core.TypePullRequestSeen)
}

// everyStep lets one engine after the other die in the same run, each at the
// first durable step that none has died at before. Where few kills are wanted,
// steps of one kind count as one, and are died at either before or after they are
// done. Some kinds must have been died at.
func (w *world) everyStep(dice *rand.Rand, kinds ...core.Type) {
	w.t.Helper()
	const branch = "feature/project"
	every := number(w.t, killsVariable, defaultKills) >= allSteps
	began := time.Now()
	o := w.order(branch)
	for o.Spared = []string{}; ; w.kills++ {
		o.Each, o.After, o.Come = every, dice.IntN(2) == 0, w.come()
		l := w.live(o)
		l.end()
		if l.over.Load() {
			break
		}
		if l.fell == "" {
			w.t.Fatalf("engine %d died of something else: %s", w.lives, l.state)
		}
		o.Spared = append(o.Spared, l.spare(every)...)
	}
	w.verify(branch)
	w.t.Logf("%d kills, %d engines, %d runs, %d events in %s", w.kills, w.lives, w.runs, w.events, time.Since(began).Round(time.Second))
	w.diedAt(kinds, o.Spared)
}
