package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// stopAttempt asks an attempt to end. That it has ended, and what it handed in
// by then, is the watch's to report.
func (d *Dispatcher) stopAttempt(ctx context.Context, run *core.Run, a core.StopAttempt) error {
	return d.Spawner.Kill(ctx, spawn.ID{Run: run.ID, Attempt: a.Attempt})
}
