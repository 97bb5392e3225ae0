package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

const (
	planPath = desk.Folder + "/" + desk.PlanFile
	maxPlan  = 1 << 20
)

// readPlan looks for the plan on the run's branch.
func (d *Dispatcher) readPlan(ctx context.Context, run *core.Run, a core.ReadPlan) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	body := core.PlanRead{Plan: core.Plan{Commit: a.Commit}}
	text, err := y.ReadFile(ctx, a.Commit, planPath, maxPlan)
	switch {
	case errors.Is(err, yard.ErrNotFound):
	case err != nil:
		return err
	default:
		body.Found = true
		if body.Plan, err = d.keepPlan(ctx, run, a.Commit, text); err != nil {
			return err
		}
		body.Error = body.Plan.Trouble
		body.Plan.Trouble = ""
	}
	return d.report(ctx, run, body)
}

// keepPlan puts a plan's text among the objects and reads it. The plan's Trouble says
// what keeps it from being followed.
func (d *Dispatcher) keepPlan(ctx context.Context, run *core.Run, commit string, text []byte) (core.Plan, error) {
	digest, _, err := d.Objects.Put(ctx, bytes.NewReader(text), maxArtifact)
	if err != nil {
		return core.Plan{}, err
	}
	p := core.Plan{Commit: commit, Digest: digest}
	if doc, err := plan.Parse(text); err != nil {
		p.Trouble = err.Error()
	} else {
		p.Steps, p.Trouble = doc.Steps(), unknownRole(run, doc.Steps())
	}
	return p, nil
}

// unknownRole says which role a plan names that the playbook does not have.
func unknownRole(run *core.Run, steps []core.Step) string {
	for _, step := range steps {
		if _, known := run.Playbook.Roles[step.Role]; step.Role != "" && !known {
			return fmt.Sprintf("step %s is for the role %q, which the playbook does not have; it has %s", step.ID, step.Role,
				strings.Join(slices.Sorted(maps.Keys(run.Playbook.Roles)), ", "))
		}
	}
	return ""
}
