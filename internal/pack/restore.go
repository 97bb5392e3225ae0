package pack

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Store is what says which commits a project has.
type Store interface {
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
}

// Restorer brings yards back.
type Restorer struct {
	Store   Store
	Objects object.Objects
	Log     *slog.Logger
}

// Restore fills an empty yard with everything that the events of a project name: bases from the repositories that stand for
// them, all else from packs; then its refs follow the events. A yard that lacks something stays marked as empty, so that the
// next engine tries again; what is there can be used.
func (r Restorer) Restore(ctx context.Context, y *yard.Yard, project string) error {
	rows, err := r.Store.Runs(ctx, store.Filter{Project: project})
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b store.RunRow) int { return cmp.Compare(a.ID, b.ID) }) // as they began
	code := newCode()
	for _, row := range rows {
		if err := r.read(ctx, row.ID, code); err != nil {
			return fmt.Errorf("restore the code of %s: %w", row.Alias, err)
		}
	}
	whole, err := r.fill(ctx, y, code)
	if err != nil || !whole {
		return err
	}
	return y.Restored()
}

// RestoreRun brings into a yard what the events of one run name and the yard does not have.
func (r Restorer) RestoreRun(ctx context.Context, y *yard.Yard, run string, events []core.Event) error {
	code := newCode()
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		code.add(run, body)
	}
	lacks, err := r.lacks(ctx, y, code)
	if err != nil || !lacks {
		return err
	}
	_, err = r.fill(ctx, y, code)
	return err
}

// lacks reports a yard in which a commit is missing, or a ref.
func (r Restorer) lacks(ctx context.Context, y *yard.Yard, code *code) (bool, error) {
	names := slices.Collect(maps.Keys(code.refs))
	for _, bases := range code.bases {
		names = append(names, bases...)
	}
	for _, name := range names {
		if known, err := y.Exists(ctx, name); err != nil || !known {
			return !known, err
		}
	}
	return false, nil
}

// fill reports whether the yard has everything then.
func (r Restorer) fill(ctx context.Context, y *yard.Yard, code *code) (whole bool, err error) {
	whole = r.bases(ctx, y, code)
	if err := y.Restore(ctx, r.sources(code.packs)); err != nil {
		return false, core.Wrap(core.CodeUnavailable, err, "the code of earlier runs cannot be restored", "restore the objects from a backup")
	}
	refs, err := r.present(ctx, y, code)
	if err != nil {
		return false, err
	}
	return whole && len(refs) == len(code.refs), y.Place(ctx, refs)
}

const readBatch = 512

func (r Restorer) read(ctx context.Context, run string, code *code) error {
	for after := int64(0); ; {
		events, err := r.Store.Events(ctx, core.RunStream(run), after, readBatch)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			body, err := core.Decode(e)
			if err != nil {
				return err
			}
			code.add(run, body)
			after = e.Seq
		}
	}
}

// bases fetches the commits that runs began at and that no pack holds. It reports whether all are there: what a run
// of which that is missing built on them cannot be restored, but others can.
func (r Restorer) bases(ctx context.Context, y *yard.Yard, code *code) bool {
	whole := true
	for _, at := range slices.Sorted(maps.Keys(code.bases)) {
		err := y.Fetch(ctx, at)
		var missing []string
		for _, commit := range code.bases[at] {
			if known, looked := y.Exists(ctx, commit); looked != nil || !known {
				missing = append(missing, commit)
			}
		}
		if len(missing) > 0 && filepath.IsAbs(at) {
			err = y.FetchCommits(ctx, at, missing)
		}
		if len(missing) > 0 && err != nil {
			whole = false
			r.Log.Error("the repository that a run began in does not have its first commit any more", "repository", at, "commits", missing, "error", err)
		}
	}
	return whole
}

func (r Restorer) sources(packs []string) []yard.Source {
	var sources []yard.Source
	for _, digest := range packs {
		sources = append(sources, yard.Source{Name: "pack " + digest, Open: func(ctx context.Context) (io.ReadCloser, error) {
			content, err := r.Objects.Open(ctx, digest)
			if err != nil {
				return nil, err
			}
			return reading{object.Checked(digest, content), content}, nil
		}})
	}
	return sources
}

type reading struct {
	io.Reader
	io.Closer
}

// present are the refs whose commits the yard has. Runs of a version that packed nothing have others.
func (r Restorer) present(ctx context.Context, y *yard.Yard, code *code) ([]yard.Ref, error) {
	have, err := y.Have(ctx, slices.Collect(maps.Values(code.refs)))
	if err != nil {
		return nil, err
	}
	var refs []yard.Ref
	for _, name := range slices.Sorted(maps.Keys(code.refs)) {
		if !have[code.refs[name]] {
			r.Log.Error("a commit is in no pack and cannot be restored", "ref", name, "commit", code.refs[name])
			continue
		}
		refs = append(refs, yard.Ref{Name: name, Commit: code.refs[name]})
	}
	return refs, nil
}
