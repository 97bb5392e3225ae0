// Package phases decides for playbooks of kind `phases`: stages in a fixed order, each verified from outside, some with a
// gate for a person. It is pure: the same state gives the same decision, and it must not do anything.
package phases

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// Decider drives runs of kind `phases`.
type Decider struct{}

var _ core.Decider = Decider{}

// Kind is the playbook kind this decider is for.
func (Decider) Kind() string { return "phases" }

// Version changes when the same state would lead to other decisions.
func (Decider) Version() int { return 9 }

// Decide says what follows for the first stage that has not passed. Because it is the first, the run cannot get past a
// stage that is missing.
func (Decider) Decide(r *core.Run) []core.Body {
	s := r.Current()
	if s == nil {
		return []core.Body{core.RunCompleted{}}
	}
	if s.Trouble != "" {
		return []core.Body{trouble(r, s)}
	}
	switch s.Status {
	case core.StagePending, core.StageStale:
		return open(r, s)
	case core.StageOpen:
		return move(r, s)
	case core.StageGated:
		return work.Publish(r, s)
	case core.StageDone, core.StageOmitted:
	}
	return nil
}

func trouble(r *core.Run, s *core.Stage) core.RunPaused {
	phase := r.Playbook.Phase(s.ID)
	if phase.Act != "" {
		return core.RunPaused{
			Code: core.PausePublish, Stage: s.ID, Reason: s.Trouble,
			Advice: core.Advice{Choices: r.Choices(core.VerbResume, core.VerbRollback)},
		}
	}
	return core.RunPaused{
		Code: core.PauseCondition, Stage: s.ID, Reason: "its condition could not be evaluated: " + s.Trouble,
		Advice: core.Advice{Choices: r.Choices(core.VerbSkip, core.VerbResume)},
	}
}

// open begins the stage's next round, unless the stage is skipped or lacks an input.
func open(r *core.Run, s *core.Stage) []core.Body {
	phase := r.Playbook.Phase(s.ID)
	redo := s.Next != nil && s.Next.Reason != core.OpenRedo
	switch {
	case phase.Skip && !redo:
		return []core.Body{core.StageSkipped{Stage: s.ID, Source: core.SkipPlaybook}}
	case !redo && planned(r, s) != nil:
		return []core.Body{*planned(r, s)}
	case phase.When != "" && s.Asked:
		return nil
	case phase.When != "" && s.Condition == nil && !redo:
		return []core.Body{core.ConditionRequested{Stage: s.ID}}
	case phase.When != "" && s.Condition != nil && !*s.Condition && !redo:
		return []core.Body{core.StageSkipped{Stage: s.ID, Source: core.SkipWhen, Reason: "not when " + phase.When}}
	}
	opened := core.StageOpened{Stage: s.ID, Round: s.Round + 1, Reason: core.OpenAdvance, Base: r.Head}
	if s.Next != nil {
		opened.Reason = s.Next.Reason
	}
	begun := tasks(phase, opened)
	if refusal := refused(r, begun); refusal != nil {
		return []core.Body{blocked(r, s, *refusal)}
	}
	bodies := []core.Body{opened}
	for _, t := range begun {
		bodies = append(bodies, t)
	}
	return bodies
}

// planned is how an approved plan skips the stage; nil if none does.
func planned(r *core.Run, s *core.Stage) *core.StageSkipped {
	skip, plan, ok := core.PlannedSkip(r, s)
	if !ok {
		return nil
	}
	return &core.StageSkipped{Stage: s.ID, Source: core.SkipPlan, Reason: skip.Reason, Plan: plan}
}
