package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// notify tells a person what waits for them. A notification that cannot be
// delivered is logged and counts as given: it must not hold the run up, and
// what waits is shown by every status.
func (d *Dispatcher) notify(ctx context.Context, run *core.Run, a core.Notify) error {
	title := "stellwerk: " + run.Alias + " is " + string(run.Status)
	text := run.Title
	switch {
	case run.Pause != nil:
		text = run.Pause.Reason
	case run.Status == core.StatusAwaiting && run.Current() != nil:
		text = "stage " + run.Current().ID + " waits for your approval"
	}
	if err := d.Notifier.Notify(ctx, title, text); err != nil {
		d.Log.Warn("a person could not be notified", "run", run.Alias, "error", err)
	}
	return d.report(ctx, run, core.PersonNotified{Event: a.Event}) //nolint:staticcheck // what was asked and what happened are alike by chance
}
