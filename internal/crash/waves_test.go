package crash

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWavesKills kills engines at random moments while goals are gone after in
// waves: while delegations are worked on side by side, while some wait for
// answers, and while the planner closes a wave.
func TestWavesKills(t *testing.T) {
	t.Parallel() // most of the time is waited
	kills := int(number(t, killsVariable, defaultKills))
	newWorld(t, "none", studyStory).storm(max(kills/8, 1), chance(t))
}

// TestWavesOfCodeKills does the same where what was delegated is merged and
// published; and around what git does for that, which takes a run of its own where
// many kills are wanted.
func TestWavesOfCodeKills(t *testing.T) {
	t.Parallel() // most of the time is waited
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, "none", buildStory)
	if kills < allSteps {
		w.driveIn(8)
	} else {
		t.Run("around git", func(t *testing.T) { newWorld(t, "none", buildStory).aroundGit() })
	}
	w.storm(max(kills/8, 1), chance(t))
}

// TestWavesKilledAtEveryDurableStep lets engines die at everything that a run in
// waves consists of. That of documents alone has no step that the other lacks, and
// its turn only where many kills are wanted.
func TestWavesKilledAtEveryDurableStep(t *testing.T) {
	t.Parallel() // most of the time is waited
	kinds := []core.Type{
		core.TypeWaveOpened, core.TypeWaveClosed, core.TypeBriefAdmitted, core.TypeBriefRefused, core.TypeQuestionAsked, core.TypeQuestionAnswered,
		core.TypeTaskAdmitted, core.TypeVerifyConcluded, core.TypeStageOpened, core.TypeStagePassed, core.TypeRunCompleted,
	}
	if number(t, killsVariable, defaultKills) >= allSteps {
		t.Run("documents", func(t *testing.T) { newWorld(t, "none", studyStory).everyStep(chance(t), kinds...) })
	}
	newWorld(t, "none", buildStory).everyStep(chance(t), append(kinds,
		core.TypeBranchMoved, core.TypeMergeConcluded, core.TypePublishPrepared, core.TypeApprovalGranted, core.TypePublishConcluded)...)
}
