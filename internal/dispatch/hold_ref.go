package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// holdRef keeps abandoned work under a ref, so that nothing is lost that is not
// known to be safe elsewhere.
func (d *Dispatcher) holdRef(ctx context.Context, run *core.Run, a core.HoldRef) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	if err := y.Keep(ctx, a.Ref, a.Commit); err != nil {
		return err
	}
	return d.report(ctx, run, core.RefKept(a))
}
