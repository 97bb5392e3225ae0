package rules

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

func stageOf(step core.Step) string { return core.StepStage(step.ID) }

// stages opens the steps that can begin and drives the open ones.
func stages(r *core.Run) []core.Body {
	if s := r.Stage(core.PlanStage); s != nil && s.Merged == "" {
		return nil // the plan comes first
	}
	var bodies []core.Body
	for _, step := range r.Driving.Plan.Steps {
		s := r.Stage(stageOf(step))
		switch {
		case step.Done && s == nil:
		case s == nil || s.Status == core.StageStale:
			if ready(r, step) {
				bodies = append(bodies, begin(r, stageOf(step), step.Title, ""))
			}
		default:
			bodies = append(bodies, drive(r, s, &step)...)
		}
	}
	bodies = append(bodies, wishes(r)...)
	return work.Bounded(r, bodies)
}

// ready reports that all dependencies of a step are merged.
func ready(r *core.Run, step core.Step) bool {
	for _, id := range step.After {
		if before := r.Driving.Plan.Step(id); before != nil && !finished(r, *before) {
			return false
		}
	}
	return true
}

func finished(r *core.Run, step core.Step) bool {
	s := r.Stage(stageOf(step))
	return step.Done || s != nil && s.Status.Closed()
}

// wishes makes requested changes into work like that of a step.
func wishes(r *core.Run) []core.Body {
	var bodies []core.Body
	for _, s := range r.Stages {
		switch {
		case s.Wish == nil:
		case s.Status == core.StageStale:
			bodies = append(bodies, begin(r, s.ID, s.Title, ""))
		default:
			bodies = append(bodies, drive(r, s, nil)...)
		}
	}
	asked := len(r.Driving.Asked) - len(r.Driving.Changes)
	for i, wish := range r.Driving.Changes {
		bodies = append(bodies, begin(r, fmt.Sprintf("change-%d", asked+i+1), "Requested changes", wish.ID))
	}
	return bodies
}

func begin(r *core.Run, id, title, wish string) core.Body {
	b := work.Begin(r, id, title)
	b.Wish = wish
	return b
}
