package rules

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// drive drives the newest task of an open stage to its end, and then does what the table says.
func drive(r *core.Run, s *core.Stage, step *core.Step) []core.Body {
	if s.Status != core.StageOpen {
		return nil
	}
	t := newest(s)
	kind, ended, over := outcomeOf(t)
	if !over {
		return work.Advance(r, s, t)
	}
	then, known := lookUp(kind, ended)
	if !known {
		return nil
	}
	return act(r, s, step, t, then)
}

// newest is the newest task of a stage; nil before the first. Tasks that were dropped when the project changed hands do
// not count.
func newest(s *core.Stage) *core.Task {
	for _, t := range slices.Backward(s.Tasks) {
		if t.Status != core.TaskDropped || t.Act == core.ActMerge && s.Conflict != nil {
			return t
		}
	}
	return nil
}

// outcomeOf says how a task ended; over is false while it goes on.
func outcomeOf(t *core.Task) (kind core.TaskKind, ended outcome, over bool) {
	switch {
	case t == nil:
		return core.KindWork, begun, true
	case t.Status == core.TaskDropped && t.Act == core.ActMerge:
		return t.Kind, refused, true
	case work.Exhausted(t):
		return asCode(t.Kind), failed, true
	case t.Status != core.TaskDone:
		return t.Kind, "", false
	case t.Kind != core.KindReview:
		return asCode(t.Kind), done, true
	}
	if review := t.Last().Review; review != nil {
		switch review.Status {
		case core.ReviewChangesRequested:
			return t.Kind, changes, true
		case core.ReviewRejected:
			return t.Kind, rejected, true
		case core.ReviewApproved:
		}
	}
	return t.Kind, approved, true
}

// asCode is the kind of a task in the table: what a manager delegated without a kind counts as code.
func asCode(kind core.TaskKind) core.TaskKind {
	if kind == core.KindWork {
		return core.KindCode
	}
	return kind
}

// act makes a rule's move.
func act(r *core.Run, s *core.Stage, step *core.Step, t *core.Task, then move) []core.Body {
	switch then {
	case moveCode:
		return admit(r, s, step, core.KindCode)
	case moveReview:
		if reviewed(r, step, t) {
			return admit(r, s, step, core.KindReview)
		}
		return admit(r, s, step, core.KindMerge)
	case moveFix:
		return admit(r, s, step, core.KindFix)
	case moveMerge:
		return admit(r, s, step, core.KindMerge)
	case moveResolve:
		if work.Count(s, core.KindResolve) >= s.Allowed(r.Playbook.Project.Attempts) {
			return []core.Body{giveUp(r, s, fmt.Sprintf("%s could not be merged after %d attempts to fix it", s.Branch, work.Count(s, core.KindResolve)))}
		}
		return admit(r, s, step, core.KindResolve)
	case movePass:
		return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
	case moveDiscard:
		return []core.Body{startOver(r, s, "the review rejected it: "+t.Last().Review.Reason)}
	case moveRecover:
		return []core.Body{recovery(r, s, t)}
	case moveAsk:
		return []core.Body{giveUp(r, s, work.WhyNot(r, t))}
	}
	return nil
}

// reviewed reports whether a delivery must be reviewed before it is merged.
func reviewed(r *core.Run, step *core.Step, t *core.Task) bool {
	rule := r.Playbook.Project.Review
	if r.Playbook.Project.Roles[core.KindReview] == "" {
		return false
	}
	if step != nil && step.Review == string(core.ReviewAlways) {
		return true
	}
	if step != nil && step.Review == string(core.ReviewNever) && vouched(r) {
		return false
	}
	switch rule.When {
	case core.ReviewAlways:
		return true
	case core.ReviewPaths:
		return t.Last().Touches
	case core.ReviewNever:
	}
	return false
}

// vouched reports whether a person wrote or approved the plan. Only such a plan can do without a review.
func vouched(r *core.Run) bool {
	s := r.Stage(core.PlanStage)
	return s == nil || s.Gate != nil && s.Gate.Approved
}

// startOver starts a step over if the playbook allows it, and asks a person otherwise.
func startOver(r *core.Run, s *core.Stage, reason string) core.Body {
	if s.Round < s.Allowed(r.Playbook.Project.Rounds) {
		return core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: reason, Again: true}
	}
	return giveUp(r, s, reason)
}

func giveUp(r *core.Run, s *core.Stage, reason string) core.Body {
	if s.Title != "" {
		reason = s.Title + ": " + reason
	}
	return core.RunPaused{
		Code: core.PauseAttempts, Stage: s.ID, Reason: reason,
		Advice: core.Advice{Choices: r.Choices(core.VerbStatus, core.VerbRetry, core.VerbSkip)},
	}
}

// recovery looks at how a task's attempts failed. The same failure twice means a wrong approach: the step starts over. If
// the failures differ, a person is asked.
func recovery(r *core.Run, s *core.Stage, t *core.Task) core.Body {
	if n := len(t.Attempts); n > 1 && slices.Equal(signature(t.Attempts[n-1]), signature(t.Attempts[n-2])) {
		return startOver(r, s, work.WhyNot(r, t)+"; the same as before, so another approach is needed")
	}
	return giveUp(r, s, work.WhyNot(r, t))
}

// signature is what makes two failures the same.
func signature(a *core.Attempt) []string {
	sign := []string{string(a.Exit), a.Class}
	for _, c := range a.Results {
		if !c.Passed {
			sign = append(sign, c.Check)
		}
	}
	return sign
}
