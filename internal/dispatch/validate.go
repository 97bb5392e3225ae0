package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// validate runs the checks of the run's branch, without memory: once more, or
// before anybody works on a task.
func (d *Dispatcher) validate(ctx context.Context, run *core.Run, a core.Validate) error {
	task := run.Task(a.Task)
	if task == nil {
		return nil
	}
	body := core.ValidateConcluded{Task: a.Task, Commit: run.Head, First: task.First}
	if err := d.validated(ctx, run, a, task, &body); err != nil {
		if err := undecided(ctx, err); err != nil {
			return err
		}
		body.Error = d.redactor(run).String(err.Error())
	}
	return d.conclude(ctx, run, body, a.Event, a.Task)
}

func (d *Dispatcher) validated(ctx context.Context, run *core.Run, a core.Validate, task *core.Task, body *core.ValidateConcluded) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	tree, err := y.Tree(ctx, run.Head)
	if err != nil {
		return err
	}
	body.Passed, body.Results, err = d.evaluate(ctx, run, evaluation{
		event: a.Event, name: a.Task, check: task.Done, base: run.BaseCommit, head: run.Head,
		writes: core.WritesCode, delivery: &core.Delivery{Commit: run.Head, Tree: tree},
	})
	return err
}
