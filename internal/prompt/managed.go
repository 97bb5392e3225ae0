package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// assignment is what the template of a managed run's task sees.
type assignment struct {
	Stage       *core.Stage
	Task        *core.Task
	Branch      string   // the run's own
	Roles       []string // that a plan may name
	Conflicting string   // files that both sides of a merge changed, one a line
	Delegation  string   // the planner's words, if the stage is a delegation's
	Step        string   // the step's text, if the stage is a step's
}

// managedPhase stands in for a phase of the playbook: it says what a task of a managed run is to do.
func managedPhase(r *core.Run, stage *core.Stage, task *core.Task) (core.Phase, error) {
	v := assignment{Stage: stage, Task: task, Branch: r.Branch, Roles: roleNames(r, "")}
	if c := stage.Conflict; c != nil {
		v.Conflicting = strings.Join(c.Files[:min(len(c.Files), 20)], "\n")
	}
	if r.ByWaves() {
		if d := r.Waves.Work(stage.ID); d != nil {
			v.Delegation = d.Brief.Task
		}
	} else if step := r.Driving.Plan.Step(strings.TrimPrefix(stage.ID, "step-")); step != nil {
		v.Step = step.Title + "\n\n" + step.Text
	}
	p := newPage(Paths{})
	phase := core.Phase{
		ID: stage.ID, Title: stage.Title, Role: task.Role, Prompt: p.part("assignment", v),
		Writes: task.Writes, Outputs: task.Outputs, Done: task.Done, Attempts: task.Limit, Timeout: task.Timeout,
	}
	return phase, p.err
}

// source is who wants something changed.
func source(wish *core.Changes) string { return cmp.Or(wish.Source, "a reviewer") }

// managedHotfix is what a task of a managed run must fix.
func managedHotfix(stage *core.Stage, task *core.Task) *core.Hotfix {
	if task.Kind != core.KindFix {
		return stage.Hotfix
	}
	for _, t := range slices.Backward(stage.Tasks) { // a branch may have been reviewed before
		if a := t.Last(); t.Kind == core.KindReview && a != nil && a.Review != nil {
			return &core.Hotfix{From: t.ID, Findings: a.Review.Findings}
		}
	}
	return stage.Hotfix
}
