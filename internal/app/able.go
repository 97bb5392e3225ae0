package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/equipment"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// able says what this machine lacks to work on a project that an engine on another one
// owned before: the repository, if it was given by its path, and the isolation and agents
// of its open runs. What cannot be found out keeps nobody from trying.
func (a *App) able(ctx context.Context, project string) error {
	row, err := a.store.Project(ctx, project)
	if err != nil {
		return nil //nolint:nilerr // nothing is known of it
	}
	if a.find.Elsewhere(row.ID, row.RepoURL) {
		return fmt.Errorf("its repository %s is on another machine", row.RepoURL)
	}
	if filepath.IsAbs(row.RepoURL) {
		if _, err := os.Stat(row.RepoURL); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("its repository %s is not on this machine", row.RepoURL)
		}
	}
	open, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err != nil {
		return nil //nolint:nilerr // nothing is known of its runs
	}
	for _, r := range open {
		run, err := a.engine.Load(ctx, r.ID)
		if err != nil {
			continue
		}
		if kind, why := a.isolation(); run.Isolation == string(sandbox.Sandbox) && kind != sandbox.Sandbox {
			return fmt.Errorf("run %s: this machine has no sandbox: %s", run.Alias, why)
		}
		if lacks := equipment.Lacks(run.Playbook, a.settings.Credential.Set()); lacks != "" {
			return fmt.Errorf("run %s: %s", run.Alias, lacks)
		}
	}
	return nil
}
