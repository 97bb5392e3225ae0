package dispatch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// sweep removes the working folders of a run that is over: checkouts, caches,
// workspaces, the folders of its checks, and comments that nobody can send any more. Attempt folders stay; they hold what
// was asked and answered. What remains for want of a permission is logged: it
// is in nobody's way.
func (d *Dispatcher) sweep(ctx context.Context, run *core.Run) error {
	folders, err := filepath.Glob(d.Layout.Attempt(run.ID, "*"))
	if err != nil {
		return fmt.Errorf("list the folders of checks: %w", err)
	}
	folders = slices.DeleteFunc(folders, func(folder string) bool { return !core.IsCheckID(filepath.Base(folder)) })
	for _, folder := range append(folders, d.Layout.Work(run.ID)) {
		if err := yard.RemoveWorkspace(folder); err != nil {
			d.Log.Warn("a working folder could not be removed", "run", run.Alias, "error", err)
		}
	}
	if err := errors.Join(d.Drafts.Forget(ctx, run.ID), d.Elsewhere.forget(ctx, run.ID), d.Exchange.Forget(ctx, spawn.ID{Run: run.ID})); err != nil {
		return err
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	err = y.Tidy(ctx)
	if ctx.Err() != nil { // the engine ends; the next one sweeps
		return ctx.Err()
	}
	if err != nil {
		d.Log.Warn("the yard could not be tidied", "project", run.Project, "error", err)
	}
	return d.report(ctx, run, core.RunSwept{})
}
