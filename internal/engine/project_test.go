package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func (b *bench) register(id, name string) error {
	return b.engine.Register(b.t.Context(), core.ProjectRegistered{Project: id, Name: name, Path: "/" + id}, store.ProjectRow{ID: id, Name: name, Status: "active"})
}

func TestANameIsOfOneProject(t *testing.T) {
	b := newBench(t)
	if err := errors.Join(b.register("p", "shop"), b.register("q", "farm")); err != nil {
		t.Fatal(err)
	}
	rename := func(id, name string) error {
		return b.engine.Record(t.Context(), id, core.Person("ada"), core.ProjectNamed{Name: name})
	}
	if err := b.register("r", "shop"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a second shop: %v", err)
	}
	if p, err := b.engine.Project(t.Context(), "r"); p != nil || err != nil {
		t.Errorf("it is registered nevertheless: %+v, %v", p, err)
	}
	if err := rename("q", "shop"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a project takes another's name: %v", err)
	}
	if err := errors.Join(rename("p", "store"), rename("p", "store"), rename("q", "shop")); err != nil {
		t.Errorf("a name that was given up: %v", err)
	}
	if row, err := b.store.Project(t.Context(), "shop"); err != nil || row.ID != "q" {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestWhatPeopleDecideIsInTheList: the row of a project follows its events.
func TestWhatPeopleDecideIsInTheList(t *testing.T) {
	b := newBench(t)
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	ada := core.Person("ada")
	for _, step := range []struct {
		actor core.Actor
		body  core.Body
		want  store.ProjectRow
	}{
		{ada, core.PlaybookChosen{Playbook: "project-rules"}, store.ProjectRow{Status: "active"}},
		{ada, core.EpicQueued{Epic: core.Epic{ID: "epic-1", Run: "r", Goal: "g", Playbook: "p", Base: "main"}}, store.ProjectRow{Status: "active", Queued: 1}},
		{ada, core.ProjectPaused{}, store.ProjectRow{Status: "paused", Paused: "paused by ada", Queued: 1}},
		{core.Engine(), core.EpicRefused{Epic: "epic-1", Reason: "r"}, store.ProjectRow{Status: "paused", Paused: "paused by ada", Refused: 1}},
		{ada, core.ProjectResumed{}, store.ProjectRow{Status: "active", Refused: 1}},
	} {
		if err := b.engine.Record(t.Context(), "p", step.actor, step.body); err != nil {
			t.Fatal(err)
		}
		row, err := b.store.Project(t.Context(), "p")
		if err != nil || row.Playbook != "project-rules" || row.Status != step.want.Status || row.Paused != step.want.Paused ||
			row.Queued != step.want.Queued || row.Refused != step.want.Refused {
			t.Errorf("after %s: %+v, %v", step.body.Type(), row, err)
		}
	}
}

// steward notes which projects it is to tend, and fails the first time.
type steward struct {
	seen   chan string
	failed atomic.Bool
}

func (s *steward) Tend(ctx context.Context, project string) error {
	select {
	case s.seen <- project:
	case <-ctx.Done():
	}
	if !s.failed.Swap(true) {
		return errors.New("not now")
	}
	return nil
}

// stewarded is an engine at work, with a function that waits until its steward
// is called.
func stewarded(t *testing.T, look time.Duration, s *steward) (e *engine.Engine, db *sqlite.Store, c *clock, tended func(what string)) {
	t.Helper()
	c = &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), sqlite.Options{Clock: c.Now, LazyLooks: true})
	if err != nil {
		t.Fatal(err)
	}
	e = engine.New(engine.Options{
		Store: db, Journal: &ledger{seqs: map[string]int64{}}, Deciders: []core.Decider{phases.Decider{}},
		Log: slog.New(slog.DiscardHandler), Name: "test", Look: look, Steward: s,
	})
	e.SetDispatcher(newRecorder())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, db.Close()); err != nil {
			t.Error(err)
		}
	})
	return e, db, c, func(what string) {
		t.Helper()
		select {
		case got := <-s.seen:
			if got != "p" {
				t.Fatalf("%s: %s is tended", what, got)
			}
		case <-waittest.Over():
			t.Fatalf("%s: nobody tends the project", what)
		}
	}
}

// TestTheEndOfARunWakesTheProjectThatWaitsForIt: the wake is in the transaction
// that ends the run, and a look that failed is repeated.
func TestTheEndOfARunWakesTheProjectThatWaitsForIt(t *testing.T) {
	e, db, clock, tended := stewarded(t, 10*time.Millisecond, &steward{seen: make(chan string)})
	if err := e.Register(t.Context(), core.ProjectRegistered{Project: "p", Name: "shop"}, store.ProjectRow{ID: "p", Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	tended("its registration")
	clock.move(2 * time.Minute) // past the lease of the look that failed
	tended("again")
	started := start("1", core.DefaultLimits())
	if _, err := e.Submit(t.Context(), "1", core.Person("me"), started); err != nil {
		t.Fatal(err)
	}
	if err := db.Await(t.Context(), core.ProjectStream("p"), core.BranchClaim("p", started.Branch, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Submit(t.Context(), "1", core.Person("me"), core.RunCancelled{}); err != nil {
		t.Fatal(err)
	}
	tended("the end of the run")
}

// TestOnlyWhatTheProjectPausedGoesOnWithIt: the engine resumes a run on the
// word about its project, and no other pause.
func TestOnlyWhatTheProjectPausedGoesOnWithIt(t *testing.T) {
	b := newBench(t)
	b.submit("1", core.Person("me"), start("1", core.DefaultLimits()))
	word := core.Policy("the project was resumed by me")
	b.submit("1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	if _, err := b.engine.Submit(t.Context(), "1", word, core.RunResumed{}); core.CodeOf(err) != core.CodeUnlawful {
		t.Fatalf("a person's pause: %v", err)
	}
	b.submit("1", core.Person("me"), core.RunResumed{})
	b.submit("1", core.Engine(), core.RunPaused{Code: core.PauseProject, Reason: "project shop is paused"})
	if run := b.submit("1", word, core.RunResumed{}); run.Status != core.StatusActive {
		t.Errorf("the run is %s", run.Status)
	}
}

// TestTheEndOfARunIsToldAtOnce: whoever waits for the project hears of it by a
// hint, though the run's own look needs none.
func TestTheEndOfARunIsToldAtOnce(t *testing.T) {
	s := &steward{seen: make(chan string)}
	s.failed.Store(true)
	e, db, _, tended := stewarded(t, time.Hour, s)
	if err := e.Register(t.Context(), core.ProjectRegistered{Project: "p", Name: "shop"}, store.ProjectRow{ID: "p", Name: "shop"}); err != nil {
		t.Fatal(err)
	}
	tended("its registration")
	started := start("1", core.DefaultLimits())
	if _, err := e.Submit(t.Context(), "1", core.Person("me"), started); err != nil {
		t.Fatal(err)
	}
	if err := db.Await(t.Context(), core.ProjectStream("p"), core.BranchClaim("p", started.Branch, "")); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Submit(t.Context(), "1", core.Person("me"), core.RunCancelled{}); err != nil {
		t.Fatal(err)
	}
	tended("the end of the run")
}
