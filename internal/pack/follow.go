package pack

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Unrecorded is below what is kept of a yard that moved a ref without an event that says so: its engine lost the project in
// between, and another went on.
const Unrecorded = yard.Kept + "unrecorded/"

// follow sets the refs of a yard to what the events say. A commit that no event names is kept under a ref of its own before a
// branch leaves it.
func (r Restorer) follow(ctx context.Context, y *yard.Yard, code *code, commits map[string]bool) error {
	refs := r.present(code, commits)
	there, err := y.Refs(ctx, "refs/")
	if err != nil {
		return err
	}
	have := map[string]string{}
	for _, ref := range there {
		have[ref.Name] = ref.Commit
	}
	for _, name := range slices.Sorted(maps.Keys(code.gone)) {
		if old := have[name]; old != "" && strings.HasPrefix(name, "refs/heads/") {
			if err := r.leave(ctx, y, code, name, old); err != nil {
				return err
			}
			if err := y.DeleteRef(ctx, name, old); err != nil {
				return err
			}
		}
	}
	for _, ref := range refs {
		old := have[ref.Name]
		if old == "" || old == ref.Commit {
			continue
		}
		if err := r.leave(ctx, y, code, ref.Name, old); err != nil {
			return err
		}
		if err := y.Move(ctx, ref.Name, old, ref.Commit); err != nil {
			return err
		}
	}
	return y.Place(ctx, refs)
}

// leave keeps what a ref is about to leave, unless an event names it.
func (r Restorer) leave(ctx context.Context, y *yard.Yard, code *code, ref, commit string) error {
	if code.said[commit] {
		return nil
	}
	kept := Unrecorded + commit
	r.Log.Warn("a branch was at a commit that no event names; it follows the events, and the commit is kept", "ref", ref, "commit", commit, "kept", kept)
	return y.Keep(ctx, kept, commit)
}

// Bring adds to a yard the objects that events of a run after a number name and the yard lacks, and no refs. It returns the
// number of the last event, also if the error is *Away.
func (r Restorer) Bring(ctx context.Context, y *yard.Yard, project, run string, after int64) (int64, error) {
	code := newCode()
	for {
		events, err := r.Store.Events(ctx, core.RunStream(run), after, readBatch)
		if err == nil {
			err = code.read(run, events)
		}
		if err != nil {
			return 0, err
		}
		if len(events) == 0 {
			break
		}
		after = events[len(events)-1].Seq
	}
	if len(code.said) == 0 {
		return after, nil
	}
	_, err := r.fill(ctx, y, project, code)
	return after, err
}
