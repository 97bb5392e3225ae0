package dispatch

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// merge merges a stage's branch into the run's, and verifies the merged tree.
// Nothing moves here: the run's branch follows once the verdict is committed.
func (d *Dispatcher) merge(ctx context.Context, run *core.Run, a core.Merge) error {
	stage, task := run.Stage(a.Stage), run.Task(a.Task)
	if stage == nil || task == nil {
		return nil
	}
	body := core.MergeConcluded{Task: a.Task, Into: run.Head, From: stage.Line}
	if err := d.merged(ctx, run, stage, a, &body); err != nil {
		if err := undecided(ctx, err); err != nil {
			return err
		}
		body = core.MergeConcluded{Task: a.Task, Error: d.redactor(run).String(err.Error())}
	}
	return d.conclude(ctx, run, body, a.Event, a.Task)
}

func (d *Dispatcher) merged(ctx context.Context, run *core.Run, stage *core.Stage, a core.Merge, body *core.MergeConcluded) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	made, err := y.Merge(ctx, yard.MergeSpec{
		Into: body.Into, From: body.From, Message: fmt.Sprintf("Merge %s: %s", stage.ID, stage.Title), Identity: yard.Identity(run.Identity), When: run.Now(),
	})
	if err != nil {
		return err
	}
	if body.Conflicts = made.Conflicts; len(made.Conflicts) > 0 {
		return nil
	}
	body.Commit = made.Commit
	if made.Commit != body.Into {
		if body.Pack, err = pack.Keep(ctx, d.Objects, y, []string{made.Commit}, body.Into, body.From); err != nil {
			return err
		}
	}
	// Until the run's branch has it, nothing else would hold it.
	if err := y.Keep(ctx, yard.MergeRef(run.ID, made.Commit), made.Commit); err != nil {
		return err
	}
	tree, err := y.Tree(ctx, made.Commit)
	if err != nil {
		return err
	}
	body.Passed, body.Results, err = d.evaluate(ctx, run, evaluation{
		event: a.Event, name: a.Task, check: run.Playbook.Project.Done, base: stage.Base, head: made.Commit,
		writes: core.WritesCode, delivery: &core.Delivery{Commit: made.Commit, Tree: tree}, remember: true,
	})
	return err
}
