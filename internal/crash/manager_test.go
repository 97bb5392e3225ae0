package crash

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestManagerKills kills engines at random moments while a manager conducts a
// project: in the middle of its turns, of its calls and of what people say; and
// around what git does for them, which takes a run of its own where many kills
// are wanted.
func TestManagerKills(t *testing.T) {
	t.Parallel() // most of the time is waited
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, "none", managerStory)
	if kills < allSteps {
		w.driveIn(8)
	} else {
		t.Run("around git", func(t *testing.T) { newWorld(t, "none", managerStory).aroundGit() })
	}
	w.storm(max(kills/4, 1), chance(t))
}

// TestManagerKilledAtEveryDurableStep lets engines die at what a manager's run
// consists of: most of all between a call that was committed and its answer.
func TestManagerKilledAtEveryDurableStep(t *testing.T) {
	t.Parallel() // most of the time is waited
	w := newWorld(t, "none", managerStory)
	w.everyStep(chance(t),
		core.TypeMessageSent, core.TypeQuestionAsked, core.TypeQuestionAnswered, core.TypeTaskProposed, core.TypePlanProposed, core.TypePlanUpdated,
		core.TypeStageOpened, core.TypeStagePassed, core.TypeMergeConcluded, core.TypePublishConcluded, core.TypeChangesRequested,
		core.TypeReviewAwaited, core.TypePullRequestSeen)
}
