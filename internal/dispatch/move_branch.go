package dispatch

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// moveBranch lets a branch in the yard follow its verified head, by
// compare-and-swap, and removes one whose work is merged. A branch found elsewhere was moved by nobody but a crashed
// engine, which did not come to tell of it: what is there is kept under a ref before it is moved on or removed.
func (d *Dispatcher) moveBranch(ctx context.Context, run *core.Run, a core.MoveBranch) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	to := func(old string) error {
		if a.New == "" {
			return y.DeleteRef(ctx, a.Ref, old)
		}
		return y.Move(ctx, a.Ref, old, a.New)
	}
	err = to(a.Old)
	var moved *yard.MovedError
	if errors.As(err, &moved) && moved.Have != "" {
		if err := y.Keep(ctx, yard.Kept+run.ID+"/found-"+moved.Have[:12], moved.Have); err != nil {
			return err
		}
		err = to(moved.Have)
	}
	if err != nil {
		return err
	}
	return d.report(ctx, run, core.BranchMoved(a))
}
