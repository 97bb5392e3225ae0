package phases_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// checkSkip is law 7: on the word of the playbook, of a person, or of a plan
// that was approved as it is and proposes just that.
func checkSkip(t *rapid.T, before *core.Run, b core.StageSkipped, by core.Actor) {
	phase := before.Playbook.Phase(b.Stage)
	switch b.Source {
	case core.SkipPerson:
		if by.Kind != core.ActorPerson && by.Kind != core.ActorSession { // which needs the person's word
			t.Fatalf("%s skipped stage %s as a person", by.Kind, b.Stage)
		}
	case core.SkipPlaybook:
		if !phase.Skip {
			t.Fatalf("stage %s is not skipped by the playbook", b.Stage)
		}
	case core.SkipWhen:
		if phase.When == "" {
			t.Fatalf("stage %s has no condition", b.Stage)
		}
	case core.SkipPlan:
		var plan *core.Stage
		for _, s := range before.Stages {
			if s.ID == b.Stage {
				break
			}
			if slices.Contains(before.Playbook.Phase(s.ID).Outputs, core.PlanArtifact) && s.Status == core.StageDone {
				plan = s
			}
		}
		if !phase.Skippable || plan == nil || plan.Gate == nil || !plan.Gate.Approved || plan.Gate.Event != b.Plan {
			t.Fatalf("no approved plan leaves out stage %s", b.Stage)
		}
		proposed := false
		for _, task := range plan.Tasks {
			if a := task.Last(); task.Status == core.TaskDone && a != nil {
				proposed = proposed || slices.ContainsFunc(a.Skips, func(s core.SkipProposal) bool { return s.Stage == b.Stage })
			}
		}
		if !proposed {
			t.Fatalf("the plan of %s does not propose to leave out %s", plan.ID, b.Stage)
		}
	}
}

// checkTeam holds that work of a round is given up only where the playbook
// names who does it instead, and that a round has at most one such task.
func checkTeam(t *rapid.T, r *core.Run, s *core.Stage) {
	dropped, alone := 0, 0
	for _, task := range s.Tasks {
		if task.Status == core.TaskDropped {
			dropped++
		}
		if task.Name == core.SoloTask {
			alone++
		}
	}
	team := r.Playbook.Phase(s.ID).Team
	if s.Status != core.StageOmitted && dropped > 0 && (team == nil || team.Fallback == "" || s.Reduced == "") {
		t.Fatalf("stage %s gave up work that nobody does", s.ID)
	}
	if alone > 1 || alone == 1 && s.Reduced == "" {
		t.Fatalf("stage %s: %d tasks do its work alone, reason %q", s.ID, alone, s.Reduced)
	}
}

// ended reports a specialist of whom nothing more will come.
func ended(r *core.Run, task *core.Task) bool {
	resting := task.Status == core.TaskWaiting || task.Status == core.TaskDelivered
	return task.Status == core.TaskDone || resting && (task.Counted >= task.Limit || task.Stuck || task.Infra > r.Limits.Infra)
}

// checkReduced holds that a team is reduced only when all have ended, and that
// nothing that was verified is given up.
func checkReduced(t *rapid.T, before *core.Run, b core.TeamReduced) {
	for _, task := range before.Stage(b.Stage).Tasks {
		if task.Name == core.HubTask {
			continue
		}
		if !ended(before, task) {
			t.Fatalf("the team of %s is reduced while %s is %s", b.Stage, task.ID, task.Status)
		}
		if given := slices.Contains(b.Dropped, task.ID); given != (task.Status != core.TaskDone) {
			t.Fatalf("%s, which is %s, is among what is given up: %t", task.ID, task.Status, given)
		}
	}
}

// checkPause holds that a run does not pause for want of attempts where a team
// has somebody who does the work instead.
func checkPause(t *rapid.T, before *core.Run, b core.RunPaused) {
	if b.Code != core.PauseAttempts && b.Code != core.PauseInfra {
		return
	}
	s := before.Stage(b.Stage)
	team := before.Playbook.Phase(b.Stage).Team
	if team == nil || team.Fallback == "" || s.Reduced != "" {
		return
	}
	for _, task := range s.Tasks {
		if task.Name != core.HubTask && task.Status != core.TaskDone {
			t.Fatalf("the run pauses at %s although %s could do it alone: %s", b.Stage, team.Fallback, b.Reason)
		}
	}
}
