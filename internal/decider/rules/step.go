package rules

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func stageOf(step core.Step) string { return "step-" + step.ID }

// stages opens what can be begun and moves on what is open. A pause is said
// alone: the rest waits for the person, too.
func stages(r *core.Run) []core.Body {
	if s := r.Stage(core.PlanStage); s != nil && s.Merged == "" {
		return nil // the plan comes first
	}
	var bodies []core.Body
	for _, step := range r.Plan.Steps {
		s := r.Stage(stageOf(step))
		switch {
		case step.Done && s == nil:
		case s == nil || s.Status == core.StageStale:
			if ready(r, step) {
				bodies = append(bodies, begin(r, s, stageOf(step), step.Title, ""))
			}
		default:
			bodies = append(bodies, drive(r, s, &step)...)
		}
	}
	bodies = append(bodies, wishes(r)...)
	for _, b := range bodies {
		if _, pause := b.(core.RunPaused); pause {
			return []core.Body{b}
		}
	}
	return bounded(r, bodies)
}

// ready reports that all a step depends on is merged.
func ready(r *core.Run, step core.Step) bool {
	for _, id := range step.After {
		if before := r.Plan.Step(id); before != nil && !finished(r, *before) {
			return false
		}
	}
	return true
}

func finished(r *core.Run, step core.Step) bool {
	s := r.Stage(stageOf(step))
	return step.Done || s != nil && s.Status.Closed()
}

// wishes turns what people want changed into work like that of a step.
func wishes(r *core.Run) []core.Body {
	var bodies []core.Body
	for _, s := range r.Stages {
		switch {
		case s.Wish == nil:
		case s.Status == core.StageStale:
			bodies = append(bodies, begin(r, s, s.ID, s.Title, ""))
		default:
			bodies = append(bodies, drive(r, s, nil)...)
		}
	}
	asked := len(r.Asked) - len(r.Changes)
	for i, wish := range r.Changes {
		bodies = append(bodies, begin(r, nil, fmt.Sprintf("change-%d", asked+i+1), "Requested changes", wish.ID))
	}
	return bodies
}

func begin(r *core.Run, s *core.Stage, id, title, wish string) core.Body {
	b := core.StageOpened{Stage: id, Round: 1, Reason: core.OpenAdvance, Base: r.Head, Title: title, Wish: wish}
	if s != nil {
		b.Round = s.Round + 1
		if s.Next != nil {
			b.Reason = s.Next.Reason
		}
	}
	b.Branch = fmt.Sprintf("%s-%s-%d", r.Branch, id, b.Round)
	return b
}

// bounded leaves one request to merge among the bodies, since merges follow one
// another, each against what the one before it left, and no more attempts than
// there may be at once: the others would only be refused a slot.
func bounded(r *core.Run, bodies []core.Body) []core.Body {
	var kept []core.Body
	merging, free := false, r.Limits.Parallel-len(r.Active())
	for _, b := range bodies {
		switch b := b.(type) {
		case core.VerifyRequested:
			if b.Fresh && merging {
				continue
			}
			merging = merging || b.Fresh
		case core.AttemptRequested:
			if free <= 0 {
				continue
			}
			free--
		default:
		}
		kept = append(kept, b)
	}
	return kept
}
