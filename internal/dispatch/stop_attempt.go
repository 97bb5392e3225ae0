package dispatch

import (
	"context"
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// stopAttempt asks an attempt to end. That it has ended, and what it handed in
// by then, is the watch's to report.
func (d *Dispatcher) stopAttempt(ctx context.Context, run *core.Run, a core.StopAttempt) error {
	return d.kill(ctx, d.Layout.Attempt(run.ID, a.Attempt))
}

// kill asks an attempt to end, or not to begin: one that was not prepared yet
// gets a folder for the word that it must not start.
func (d *Dispatcher) kill(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the attempt's folder: %w", err)
	}
	return d.Spawner.Kill(ctx, folder)
}
