package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// Look implements forge.Forge.
func (f *Forge) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return forge.Seen{}, err
	}
	dir, r, err := f.record(ref.Project, ref.Number)
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
func (f *Forge) Read(project string, number int) (Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, r, err := f.record(project, number)
	return r, err
}

// Settle records that a pull request was merged, by which commit, or closed. It
// does not merge anything.
func (f *Forge) Settle(project string, number int, state forge.State, merge string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, r, err := f.record(project, number)
	if err != nil {
		return err
	}
	if r.Status != forge.Open && r.Status != state {
		return fmt.Errorf("%w: pull request %d of %s is already %s", forge.ErrRefused, number, project, r.Status)
	}
	r.Status, r.Merge = state, merge
	return r.write(dir)
}

func (f *Forge) record(project string, number int) (dir string, r Record, err error) {
	dir, err = f.folder(project)
	if err != nil {
		return "", Record{}, err
	}
	r, err = readFile(filepath.Join(dir, fmt.Sprintf("%d.json", number)))
	if errors.Is(err, os.ErrNotExist) {
		return "", Record{}, &forge.Error{Kind: forge.ErrNotFound, Op: fmt.Sprintf("read pull request %d of %s", number, project)}
	}
	return dir, r, err
}
