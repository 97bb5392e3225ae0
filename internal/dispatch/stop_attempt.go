package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// stopAttempt ends an attempt and collects what it has handed in by then.
func (d *Dispatcher) stopAttempt(ctx context.Context, run *core.Run, a core.StopAttempt) error {
	if err := d.Spawner.Kill(ctx, d.Layout.Attempt(run.ID, a.Attempt)); err != nil {
		return err
	}
	return d.follow(ctx, run, a.Attempt)
}
