package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// workspace compares the making of an attempt's workspace, a repository of its
// own of 500 files with a branch checked out, with `git worktree add -b` of the same commit
// from the same bare repository. They take turns; removing is not timed.
func workspace(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("workspace")
	if err != nil {
		return o, err
	}
	repo, err := openRepository(ctx, dir, 500, nil)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, repo.yard.Close()) }()
	var measured, base []time.Duration
	for n := range shop.times(40) {
		own := filepath.Join(dir, fmt.Sprintf("own-%d", n))
		m, err := repo.timedWorkspace(ctx, own)
		if err != nil {
			return o, err
		}
		tree := filepath.Join(dir, fmt.Sprintf("tree-%d", n))
		b, err := timed(func() error {
			return git(ctx, repo.yard.Dir(), "worktree", "add", "-q", "-b", fmt.Sprintf("bench-%d", n), tree, repo.commit)
		})
		if err != nil {
			return o, err
		}
		if err := git(ctx, repo.yard.Dir(), "worktree", "remove", "--force", tree); err != nil {
			return o, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}

// timedWorkspace makes a workspace, whose index is kept beside it as for an attempt, and removes both again, which is not timed.
func (r *repository) timedWorkspace(ctx context.Context, dir string) (time.Duration, error) {
	index := dir + ".index"
	took, err := timed(func() error {
		return r.yard.Workspace(ctx, yard.WorkspaceSpec{
			Dir: dir, Commit: r.commit, Branch: "feature/bench", Identity: yard.Identity{Name: "Bench", Email: "bench@example.org"}, Index: index,
		})
	})
	return took, errors.Join(err, yard.RemoveWorkspace(dir), os.RemoveAll(index))
}
