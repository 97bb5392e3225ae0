package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	dir, err := f.folder(ref.Project)
	if err != nil {
		return forge.Seen{}, err
	}
	r, err := f.Read(ctx, ref.Project, ref.Number)
	if err == nil {
		err = f.show(ctx, ref.Project, ref.Number, false)
	}
	if err != nil {
		return forge.Seen{}, err
	}
	seen := forge.Seen{
		State: r.Status, URL: address(dir, r.Number), Head: r.Commit, Merge: r.Merge, CI: r.CI, Preview: r.Preview,
	}
	if err := seen.HandOut(ref.Cursor, r.Notes); err != nil {
		return forge.Seen{}, err
	}
	return seen, nil
}

// Read is the record of a pull request.
func (f *Forge) Read(ctx context.Context, project string, number int) (Record, error) {
	k, err := document.Read[Record](ctx, f.docs, kindRecord, key(project, number))
	if errors.Is(err, store.ErrNotFound) {
		return Record{}, missing(project, number)
	}
	return k.Value, err
}

// Settle records that a pull request was merged, by which commit, or closed. It
// does not merge anything.
func (f *Forge) Settle(ctx context.Context, project string, number int, state forge.State, merge string) error {
	return document.Change(ctx, f.docs, kindRecord, key(project, number), func(r *Record) error {
		if r.Number == 0 {
			return missing(project, number)
		}
		if r.Status != forge.Open && r.Status != state {
			return fmt.Errorf("%w: pull request %d of %s is already %s", forge.ErrRefused, number, project, r.Status)
		}
		r.Status, r.Merge = state, merge
		return nil
	})
}

func missing(project string, number int) error {
	return &forge.Error{Kind: forge.ErrNotFound, Op: fmt.Sprintf("read pull request %d of %s", number, project)}
}
