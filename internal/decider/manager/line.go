package manager

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// lines moves open lines on.
func lines(r *core.Run) []core.Body {
	var bodies []core.Body
	for _, s := range r.Stages {
		if s.Branch != "" && s.Status == core.StageOpen && len(s.Tasks) > 0 {
			bodies = append(bodies, drive(r, s, s.Tasks[len(s.Tasks)-1])...)
		}
	}
	return work.Bounded(r, bodies)
}

// drive moves a line on by its newest task. After that, the manager decides about a line with a name; one without is merged.
func drive(r *core.Run, s *core.Stage, t *core.Task) []core.Body {
	switch {
	case t.Act == core.ActMerge && t.Status == core.TaskDropped:
		return refused(r, s, t)
	case t.Status == core.TaskWaiting && lacks(r, t) != "":
		return []core.Body{core.TaskFailed{Task: t.ID, Reason: fmt.Sprintf("%s no longer exists: the work that handed it in was discarded", lacks(r, t))}}
	case work.Exhausted(t):
		return []core.Body{core.TaskFailed{Task: t.ID, Reason: work.WhyNot(r, t)}}
	case t.Status != core.TaskDone:
		return work.Advance(r, s, t)
	case t.Act == core.ActMerge, r.Merges(s) && s.Start() == s.Base:
		return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
	case r.OpenOn(s.ID) == nil: // left by the rules: the manager decides
	case t.Kind == core.KindResolve, r.Merges(s) && t.Kind != core.KindReview:
		return []core.Body{work.Admit(r, s, core.KindMerge, work.Name(s, core.KindMerge), "")}
	}
	return nil
}

// lacks is an input that existed when the task was admitted and no longer does; "" if there is none.
func lacks(r *core.Run, t *core.Task) string {
	for _, in := range t.Inputs {
		if !in.Optional && r.Artifact(in.Name) == nil {
			return in.Name
		}
	}
	return ""
}

// refused has an agent fix a merge that git or the checks refused, as often as a task may be tried.
func refused(r *core.Run, s *core.Stage, t *core.Task) []core.Body {
	if r.OpenOn(s.ID) == nil {
		return nil // it was given up, and the manager knows
	}
	if n := work.Count(s, core.KindResolve); n >= r.Playbook.Project.Attempts {
		return []core.Body{core.TaskFailed{Task: t.ID, Reason: fmt.Sprintf("%s could not be merged after %d attempts to fix it: %s", s.Branch, n, conflict(s))}}
	}
	return []core.Body{work.Admit(r, s, core.KindResolve, work.Name(s, core.KindResolve), "")}
}

func conflict(s *core.Stage) string {
	if s.Conflict == nil {
		return "it was refused"
	}
	if len(s.Conflict.Files) > 0 {
		return fmt.Sprintf("both sides changed %v", s.Conflict.Files)
	}
	return "the merged tree does not pass the checks"
}

// acts moves on what the engine itself does on the run's branch.
func acts(r *core.Run) []core.Body {
	for _, s := range r.Stages {
		if s.Branch != "" || s.Status != core.StageOpen || !r.Was(s.ID) {
			continue
		}
		if s.TasksDone() {
			return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
		}
		for _, t := range s.Tasks {
			if bodies := work.Advance(r, s, t); bodies != nil && !work.Moving(r) {
				return bodies
			}
		}
	}
	return nil
}
