package dispatch

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// moveBranch lets a branch in the yard follow its verified head, by
// compare-and-swap, and removes one whose work is merged. A branch found elsewhere was moved by nobody but a crashed
// engine: what is there is kept under a ref before it is moved on.
func (d *Dispatcher) moveBranch(ctx context.Context, run *core.Run, a core.MoveBranch) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	if a.New == "" {
		if err := y.DeleteRef(ctx, a.Ref, a.Old); err != nil {
			return err
		}
		return d.report(ctx, run, core.BranchMoved(a))
	}
	err = y.Move(ctx, a.Ref, a.Old, a.New)
	var moved *yard.MovedError
	if errors.As(err, &moved) && moved.Have != "" {
		if err := y.Keep(ctx, yard.Kept+run.ID+"/found-"+moved.Have[:12], moved.Have); err != nil {
			return err
		}
		err = y.Move(ctx, a.Ref, moved.Have, a.New)
	}
	if err != nil {
		return err
	}
	return d.report(ctx, run, core.BranchMoved(a))
}
