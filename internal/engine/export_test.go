package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Own makes the engine the owner of projects, of which an engine of the same id may be the owner.
func (e *Engine) Own(ctx context.Context, projects ...string) error {
	asked := time.Now()
	owned, err := e.store.Enlist(ctx, store.Engine{ID: e.opts.ID, Place: e.opts.Place}, e.opts.Lease)
	if err != nil {
		return err
	}
	e.owned.hold(asked, owned)
	taken, err := e.store.Take(ctx, e.opts.ID, e.opts.Lease, projects)
	if err == nil && len(taken) < len(projects) {
		err = fmt.Errorf("took only %v of %v", taken, projects)
	}
	e.owned.hold(asked, taken)
	e.begun = true
	return err
}

// Playbook is the one that a run in memory holds.
func (e *Engine) Playbook(run string) *core.Playbook {
	return e.streams.get(core.RunStream(run)).run.Playbook
}

// Hint is a hint of a stream of a project that the engine owns.
func (e *Engine) Hint(project, stream string) store.Hint {
	fence, _ := e.owned.fence(project)
	return store.Hint{Stream: stream, Project: project, Fence: fence}
}

// LookAt is one look, for a test that wants to know how it ended.
func (e *Engine) LookAt(ctx context.Context, w *store.Hint) (unfinished bool, err error) {
	return e.lookAt(ctx, w)
}

// Look is one look as Run makes it.
func (e *Engine) Look(ctx context.Context, w store.Hint) {
	if e.looks.begin(w) {
		e.look(ctx, w)
	}
}

// NextLook is how long Run waits without a signal.
func (e *Engine) NextLook(ctx context.Context) time.Duration { return e.nextLook(ctx) }

// Nudged reports, once, that a look is wanted that the store does not signal.
func (e *Engine) Nudged() bool {
	select {
	case <-e.nudged:
		return true
	default:
		return false
	}
}

// TakeAtOnce is how many projects are taken in one go.
const TakeAtOnce = takeAtOnce

// Remembered is how many moves are named one by one.
const Remembered = remembered

// MovedSince is what a watcher is told.
func (e *Engine) MovedSince(ctx context.Context, since string) (Moved, error) {
	return e.movedSince(ctx, since)
}

// Lacks is the document by which an engine says that it cannot work on a project.
func Lacks(project, id string) store.Document {
	return store.Document{Kind: unfitKind, Key: project + "/" + id, Data: []byte(`{"host":"somewhere","reason":"something"}`)}
}

// Writers is how many write to the journal of a run or wait to.
func (e *Engine) Writers(run string) int {
	e.writing.mu.Lock()
	defer e.writing.mu.Unlock()
	if p := e.writing.under[run]; p != nil {
		return p.users
	}
	return 0
}

// TakeJournal is how engines take turns at the journal of a run.
func TakeJournal() func(run string) (give func()) {
	return (&writing{under: map[string]*pen{}}).take
}

// Hear hears of what was committed since a position.
func (e *Engine) Hear(ctx context.Context, after int64) int64 { return e.hear(ctx, after) }

// Kept are those of the runs whose state is in memory.
func (e *Engine) Kept(runs ...string) (kept []string) {
	for _, run := range runs {
		if e.Holds(run) {
			kept = append(kept, run)
		}
	}
	return kept
}
