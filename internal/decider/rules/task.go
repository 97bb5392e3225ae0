package rules

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// admit adds a task of a kind to a stage's round.
func admit(r *core.Run, s *core.Stage, step *core.Step, kind core.TaskKind) []core.Body {
	m, role := r.Playbook.Project, ""
	coding := kind == core.KindCode || kind == core.KindFix && m.Roles[core.KindFix] == m.Roles[core.KindCode]
	if step != nil && coding {
		role = step.Role
	}
	return []core.Body{work.Admit(r, s, kind, work.Name(s, kind), role)}
}

// publish publishes what is merged once nothing else is left to do.
func publish(r *core.Run) []core.Body {
	s, due := r.Stage(core.PublishStage), complete(r) && !work.Moving(r)
	if s != nil && (s.Trouble != "" || s.Status == core.StageGated || s.Status == core.StageOpen) {
		return work.Publishing(r, due)
	}
	if pr := r.PullRequest; !due || pr != nil && pr.Commit == r.Verified {
		return nil
	}
	return work.OpenPublish(r, "")
}

// complete reports that every step is merged and marked, and no change is requested.
func complete(r *core.Run) bool {
	for _, step := range r.Driving.Plan.Steps {
		s := r.Stage(stageOf(step))
		if !step.Done && (s == nil || s.Status != core.StageOmitted) {
			return false
		}
	}
	for _, s := range r.Stages {
		if s.ID != core.PublishStage && !s.Status.Closed() {
			return false
		}
	}
	return len(r.Driving.Changes) == 0
}
