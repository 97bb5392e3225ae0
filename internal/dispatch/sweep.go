package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// sweep removes the working folders of a run that is over: checkouts, caches,
// workspaces. Attempt folders stay; they hold what was asked and answered.
func (d *Dispatcher) sweep(ctx context.Context, run *core.Run) error {
	if err := yard.RemoveWorkspace(d.Layout.Work(run.ID)); err != nil {
		d.Log.Warn("working folders could not be removed", "run", run.Alias, "error", err)
	}
	return d.report(ctx, run, core.RunSwept{})
}
