package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// writePlan commits a change of the plan on top of the run's branch. Nothing
// names the commit before its event does, so it may be made again.
func (d *Dispatcher) writePlan(ctx context.Context, run *core.Run, a core.WritePlan) error {
	write := run.Driving.PlanWrite
	if write == nil || write.Event != a.Event {
		return nil
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	files, err := d.planFiles(ctx, run, write, y)
	if err != nil {
		return err
	}
	commit, err := y.Commit(ctx, yard.CommitSpec{
		Parent: run.Head, Files: files, Message: "plan: " + write.Message,
		Identity: yard.Identity(run.Identity), When: run.Now(),
	})
	if err != nil {
		return err
	}
	body := core.PlanUpdated{Old: run.Head}
	if commit != run.Head {
		if body.Pack, err = pack.Keep(ctx, d.Objects, y, []string{commit}, run.Head); err != nil {
			return err
		}
	}
	if err := y.Keep(ctx, yard.PlanRef(run.ID, commit), commit); err != nil {
		return err
	}
	text, err := y.ReadFile(ctx, commit, planPath, maxPlan)
	body.Plan = core.Plan{Commit: commit}
	if err == nil {
		body.Plan, err = d.keepPlan(ctx, run, commit, text)
	}
	if err != nil && !errors.Is(err, yard.ErrNotFound) {
		return err
	}
	return d.report(ctx, run, body)
}

// planFiles are the documents that a change of the plan is made of.
func (d *Dispatcher) planFiles(ctx context.Context, run *core.Run, write *core.PlanWrite, y *yard.Yard) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, f := range write.Files {
		text, err := d.readDocument(ctx, &core.Artifact{Name: f.Name, Digest: f.Digest})
		if err != nil {
			return nil, err
		}
		files[desk.Folder+"/"+f.Name] = text
	}
	if len(files) > 0 {
		return files, nil
	}
	text, err := d.planText(ctx, run, write, y)
	files[planPath] = text
	return files, err
}

// planText is the plan as it was handed in, or the present one with steps
// marked as done.
func (d *Dispatcher) planText(ctx context.Context, run *core.Run, write *core.PlanWrite, y *yard.Yard) ([]byte, error) {
	if write.Artifact != "" {
		return d.readDocument(ctx, &core.Artifact{Name: planPath, Digest: write.Artifact})
	}
	text, err := y.ReadFile(ctx, run.Driving.Plan.Commit, planPath, maxPlan)
	if err != nil {
		return nil, err
	}
	doc, err := plan.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("mark steps as done: %w", err)
	}
	if err := doc.MarkDone(write.Done...); err != nil {
		return nil, fmt.Errorf("mark steps as done: %w", err)
	}
	return doc.Bytes(), nil
}
