package dispatch

import (
	"context"
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// stopAttempt ends an attempt and collects what it has handed in by then. One
// that was not prepared yet gets a folder for the word that it must not start.
func (d *Dispatcher) stopAttempt(ctx context.Context, run *core.Run, a core.StopAttempt) error {
	folder := d.Layout.Attempt(run.ID, a.Attempt)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the attempt's folder: %w", err)
	}
	if err := d.Spawner.Kill(ctx, folder); err != nil {
		return err
	}
	return d.follow(ctx, run, a.Attempt)
}
