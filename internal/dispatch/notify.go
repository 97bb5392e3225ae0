package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// notify has a person told what of the run waits for them. A notice that cannot
// be taken is logged and counts as given: it must not hold the run up, and what
// waits is shown by every status.
func (d *Dispatcher) notify(ctx context.Context, run *core.Run, a core.Notify) error {
	err := d.Notifier.Tell(ctx, run)
	if ctx.Err() != nil { // the engine ends; the next one tells
		return ctx.Err()
	}
	if err != nil {
		d.Log.Warn("a person could not be told", "run", run.Alias, "error", err)
	}
	return d.report(ctx, run, core.PersonNotified{Event: a.Event}) //nolint:staticcheck // what was asked and what happened are alike by chance
}
