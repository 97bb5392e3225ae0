package dispatch

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Elsewhere is where an engine leaves word for the one that watches a pull request.
type Elsewhere struct {
	Store WordStore
	// Load is the present state of a run, whoever owns it.
	Load func(ctx context.Context, run string) (*core.Run, error)
}

// WordStore keeps word until the owner of a run has heard it.
type WordStore interface {
	store.Documents
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Raise(ctx context.Context, stream string) error
}

// wordKind has a document for each run whose pull request is to be looked at. The engine that watches it removes the document
// before it looks, so what happens after that is told again.
const wordKind = "pull-request-word"

// word says of which pull requests a forge told.
type word struct {
	forge, repository string
	numbers           []int // none: any of the repository's
}

func (w word) concerns(run *core.Run) bool {
	return run.PullRequest != nil && run.Forge == w.forge && strings.EqualFold(run.Repository, w.repository) &&
		(len(w.numbers) == 0 || slices.Contains(w.numbers, run.PullRequest.Number))
}

// leave tells whoever owns the runs that a word concerns, but for those that are watched here.
func (e *Elsewhere) leave(ctx context.Context, w word, here map[string]bool) error {
	open, err := e.Store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range open {
		if row.URL == "" || here[row.ID] {
			continue
		}
		run, err := e.Load(ctx, row.ID)
		if err == nil && w.concerns(run) {
			err = e.tell(ctx, row.ID)
		}
		if !errors.Is(err, core.ErrUnreadable) { // who can read it polls
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (e *Elsewhere) tell(ctx context.Context, run string) error {
	err := document.Put(ctx, e.Store, wordKind, run, 0, struct{}{})
	if err != nil && !errors.Is(err, store.ErrStale) { // it is there, and the look is still to come
		return err
	}
	return e.Store.Raise(ctx, core.RunStream(run))
}

// heard takes the word that was left about a run, and reports whether there was any.
func (e *Elsewhere) heard(ctx context.Context, run string) (bool, error) {
	d, err := e.Store.Document(ctx, wordKind, run)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = document.Remove(ctx, e.Store, wordKind, run, d.Version)
	}
	return true, err
}

// forget removes the word about a run that is over.
func (e *Elsewhere) forget(ctx context.Context, run string) error {
	if e == nil {
		return nil
	}
	return document.Drop(ctx, e.Store, wordKind, run)
}
