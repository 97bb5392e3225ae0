package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// fullDisk is a store on which nothing can be committed while it is full.
type fullDisk struct {
	store.Store
	full bool
}

var errFull = errors.New("no space left on device")

func (s *fullDisk) Commit(ctx context.Context, c store.Commit) error {
	if s.full {
		return errFull
	}
	return s.Store.Commit(ctx, c)
}

// auditor is a dispatcher that looks whether what it is handed is committed.
type auditor struct {
	t     *testing.T
	store store.Store
	seen  int
}

func (a *auditor) Prepare(run *core.Run, _ int64, _ []core.Action) { a.look(run) }

func (*auditor) Release(string) {}

func (*auditor) StartEpic(*core.Project, int64, *core.QueuedEpic) {}

func (a *auditor) Reconcile(run *core.Run, _ int64, _ []core.Action) {
	a.seen++
	a.look(run)
}

func (a *auditor) look(run *core.Run) {
	head, err := a.store.Head(context.Background(), core.RunStream(run.ID))
	if err != nil {
		a.t.Errorf("look at the head of %s: %v", run.ID, err)
	}
	if head.Seq < run.Stream.Seq {
		a.t.Errorf("effect before commit: the effects of event %d of run %s were handed out, the store stands at %d",
			run.Stream.Seq, run.ID, head.Seq)
	}
}

func TestEffectsWaitForTheCommit(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	disk := &fullDisk{Store: db, full: true}
	audit := &auditor{t: t, store: db}
	e := engine.New(engine.Options{
		Store: disk, Journal: &ledger{seqs: map[string]int64{}}, Deciders: []core.Decider{phases.Decider{}},
		Log: slog.New(slog.DiscardHandler), ID: "test",
	})
	e.SetDispatcher(audit)
	if err := e.Own(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); !errors.Is(err, errFull) {
		t.Fatalf("got %v", err)
	}
	if audit.seen > 0 {
		t.Error("effect before commit: something was handed out of a step that was never committed")
	}
	disk.full = false
	if _, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); err != nil {
		t.Fatal(err)
	}
	if audit.seen != 1 {
		t.Errorf("the effects of a committed step were handed out %d times", audit.seen)
	}
}
