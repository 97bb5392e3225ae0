package pack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Kind is that of the documents that name packs which no event names: what a version before packs left in its yards, and
// commits that only a repository stood for. The key is the project's id and the pack's digest. Objects that such a
// document names are kept.
const Kind = "pack"

// late is the document of such a pack. It holds its commits with their whole history, but for what the other late packs of
// the project hold.
type late struct {
	Commits []string `json:"commits"`
}

// mostCommits is how many commits a late pack is made for; a bundle names no more than twice as many.
const mostCommits = 4000

// Secure packs what of a project's code is in no pack yet and the yard has. With here, that includes the commits that
// repositories on this machine stand for: then store and objects hold everything.
func (r Restorer) Secure(ctx context.Context, y *yard.Yard, project string, here bool) error {
	code, err := r.project(ctx, project)
	if err != nil {
		return err
	}
	packs, err := r.late(ctx, project)
	if err != nil {
		return err
	}
	var others []string
	for _, p := range packs {
		others = append(others, p.commits...)
	}
	wanted := slices.DeleteFunc(code.loose(here), func(commit string) bool { return slices.Contains(others, commit) })
	have, err := y.Have(ctx, append(wanted, others...))
	if err != nil {
		return err
	}
	wanted = slices.DeleteFunc(wanted, func(commit string) bool {
		if !have[commit] {
			r.Log.Error("a commit is neither in a pack nor in the yard", "project", project, "commit", commit)
		}
		return !have[commit]
	})
	others = slices.DeleteFunc(others, func(commit string) bool { return !have[commit] })
	for part := range slices.Chunk(wanted, mostCommits) {
		if err := r.keepLate(ctx, y, project, part, others[max(0, len(others)-mostCommits):]); err != nil {
			return fmt.Errorf("pack the code of project %s: %w", project, err)
		}
		others = append(others, part...)
	}
	return nil
}

func (r Restorer) keepLate(ctx context.Context, y *yard.Yard, project string, commits, others []string) error {
	digest, err := Keep(ctx, r.Objects, y, commits, others...)
	if err != nil {
		return err
	}
	err = document.Put(ctx, r.Store, Kind, project+"/"+digest, 0, late{commits})
	if errors.Is(err, store.ErrStale) {
		return nil // another engine was faster
	}
	return err
}

// late are the packs of a project that documents name.
func (r Restorer) late(ctx context.Context, project string) ([]named, error) {
	all, err := document.List[late](ctx, r.Store, Kind, project+"/")
	if err != nil {
		return nil, err
	}
	var packs []named
	for _, d := range all {
		packs = append(packs, named{d.Key[len(project)+1:], d.Value.Commits})
	}
	return packs, nil
}
