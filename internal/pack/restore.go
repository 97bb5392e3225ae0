package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Store is what says which commits a project has.
type Store interface {
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
	store.Documents
}

// Restorer brings yards back.
type Restorer struct {
	Store   Store
	Objects object.Objects
	Log     *slog.Logger
}

// Restore brings a yard that is empty or behind up to what the events of a project say: bases from the repositories that
// stand for them, all else from packs; then its refs follow the events. If a repository does not have its bases, whatever rests
// on them stays out, and the error is *Away: what is there is complete and can be used, and the yard stays marked as empty, so
// that the next engine tries again. Nobody else may be changing refs of the yard's runs meanwhile.
func (r Restorer) Restore(ctx context.Context, y *yard.Yard, project string) error {
	code, err := r.project(ctx, project)
	if err != nil {
		return err
	}
	whole, err := r.bring(ctx, y, project, code)
	if err != nil || !whole {
		return err
	}
	return y.Restored()
}

// Follow is Restore for some runs of a project, those that other engines have moved on. What they say about a branch counts only
// if no later run uses it.
func (r Restorer) Follow(ctx context.Context, y *yard.Yard, project string, runs []string) error {
	code, err := r.project(ctx, project, runs...)
	if err != nil {
		return err
	}
	_, err = r.bring(ctx, y, project, code)
	return err
}

// bring adds what a yard lacks and has its refs follow, also if the error is *Away. It reports whether all is there then.
func (r Restorer) bring(ctx context.Context, y *yard.Yard, project string, code *code) (whole bool, err error) {
	have, err := r.fill(ctx, y, project, code)
	if !usable(err) {
		return false, err
	}
	return len(have) == len(code.said), cmp.Or(r.follow(ctx, y, code, have), err)
}

// RestoreRun brings into a yard what the events of one run name and the yard does not have.
func (r Restorer) RestoreRun(ctx context.Context, y *yard.Yard, project, run string, events []core.Event) error {
	code := newCode()
	if err := code.read(run, events); err != nil {
		return err
	}
	have, err := r.fill(ctx, y, project, code)
	if !usable(err) {
		return err
	}
	return cmp.Or(y.Place(ctx, r.present(code, have)), err)
}

func (c *code) read(run string, events []core.Event) error {
	for _, e := range events {
		if e.Erased() { // with its objects
			continue
		}
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		c.add(run, body)
	}
	return nil
}

// fill brings in the objects that the yard lacks. It returns which of the commits that events name it has then, also if the
// error is *Away.
func (r Restorer) fill(ctx context.Context, y *yard.Yard, project string, code *code) (have map[string]bool, err error) {
	said := slices.Collect(maps.Keys(code.said))
	have, err = y.Have(ctx, said)
	if err != nil || len(have) == len(said) {
		return have, err
	}
	late, err := r.late(ctx, project)
	if err == nil {
		err = r.take(ctx, y, late) // first, because others may rest on them
	}
	if err != nil {
		return nil, err
	}
	away, err := r.bases(ctx, y, code)
	if err != nil {
		return nil, err
	}
	err = r.take(ctx, y, code.packs)
	if away != nil && errors.Is(err, yard.ErrPrerequisites) {
		err = nil // they rest on what is away
	}
	if err == nil {
		have, err = y.Have(ctx, said)
	}
	if err == nil && away != nil && len(have) < len(said) {
		err = away
	}
	return have, err
}

// take brings in the packs whose commits the yard lacks.
func (r Restorer) take(ctx context.Context, y *yard.Yard, packs []named) error {
	var commits []string
	for _, p := range packs {
		commits = append(commits, p.commits...)
	}
	have, err := y.Have(ctx, commits)
	if err != nil {
		return err
	}
	var sources []yard.Source
	for _, p := range packs {
		if len(p.commits) == 0 || slices.ContainsFunc(p.commits, func(commit string) bool { return !have[commit] }) {
			sources = append(sources, r.source(p.digest))
		}
	}
	if len(sources) == 0 {
		return nil
	}
	if err := y.Restore(ctx, sources); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the code of earlier runs cannot be restored", "restore the objects from a backup")
	}
	return nil
}

const readBatch = 512

// project reads what the events of a project's runs say, in the order in which they began. If some runs are named, only those
// are read, and all others on the same branches: the last of them has the branch.
func (r Restorer) project(ctx context.Context, project string, runs ...string) (*code, error) {
	rows, err := r.Store.Runs(ctx, store.Filter{Project: project})
	if err != nil {
		return nil, err
	}
	// A run that was queued has its id from before it began.
	slices.SortFunc(rows, func(a, b store.RunRow) int { return cmp.Or(a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID)) })
	branches := map[string]bool{}
	for _, row := range rows {
		if slices.Contains(runs, row.ID) {
			branches[row.Branch] = true
		}
	}
	code := newCode()
	for _, row := range rows {
		if len(runs) > 0 && !branches[row.Branch] {
			continue
		}
		if err := r.read(ctx, row.ID, code); err != nil {
			return nil, err
		}
	}
	return code, nil
}

// read reads what the events of a run say.
func (r Restorer) read(ctx context.Context, run string, code *code) error {
	for after := int64(0); ; {
		events, err := r.Store.Events(ctx, core.RunStream(run), after, readBatch)
		if err == nil {
			err = code.read(run, events)
		}
		if err != nil {
			return fmt.Errorf("read about the code of run %s: %w", run, err)
		}
		if len(events) == 0 {
			return nil
		}
		after = events[len(events)-1].Seq
	}
}

// bases fetches the commits that runs began at and that no pack holds. It returns the repositories that do not have them, nil
// if all are there: what a run built on one that is missing cannot be restored, but others can.
func (r Restorer) bases(ctx context.Context, y *yard.Yard, code *code) (*Away, error) {
	refused := map[string]refusal{}
	for _, at := range slices.Sorted(maps.Keys(code.bases)) {
		lacks, err := r.lacking(ctx, y, code.bases[at])
		if err != nil {
			return nil, err
		}
		if len(lacks) == 0 {
			continue
		}
		seen := look(at)
		failure := y.Fetch(ctx, at) // its branches are what a pack may rest on
		if failure != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if lacks, err = r.lacking(ctx, y, code.bases[at]); err != nil {
			return nil, err
		}
		var missing []string
		for _, b := range lacks {
			if !b.packed {
				missing = append(missing, b.commit)
			}
		}
		if len(missing) > 0 && filepath.IsAbs(at) {
			failure = y.FetchCommits(ctx, at, missing)
		}
		if failure != nil && len(lacks) > 0 {
			refused[at] = refusal{seen, time.Now(), failure}
			r.Log.Error("a repository that runs began in does not give their first commits", "repository", at, "commits", missing, "error", failure)
		}
	}
	if len(refused) == 0 {
		return nil, nil
	}
	return &Away{refused}, nil
}

func (r Restorer) lacking(ctx context.Context, y *yard.Yard, bases []base) ([]base, error) {
	var commits []string
	for _, b := range bases {
		commits = append(commits, b.commit)
	}
	have, err := y.Have(ctx, commits)
	return slices.DeleteFunc(slices.Clone(bases), func(b base) bool { return have[b.commit] }), err
}

func (r Restorer) source(digest string) yard.Source {
	return yard.Source{Name: "pack " + digest, Open: func(ctx context.Context) (io.ReadCloser, error) {
		content, err := r.Objects.Open(ctx, digest)
		if err != nil {
			return nil, err
		}
		return reading{object.Checked(digest, content), content}, nil
	}}
}

type reading struct {
	io.Reader
	io.Closer
}

// present are the refs whose commits the yard has. Those of a run whose base is lost may be missing.
func (r Restorer) present(code *code, have map[string]bool) []yard.Ref {
	var refs []yard.Ref
	for _, name := range slices.Sorted(maps.Keys(code.refs)) {
		if !have[code.refs[name]] {
			r.Log.Error("a commit is in no pack and cannot be restored", "ref", name, "commit", code.refs[name])
			continue
		}
		refs = append(refs, yard.Ref{Name: name, Commit: code.refs[name]})
	}
	return refs
}
