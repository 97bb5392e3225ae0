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
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
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
			t.Errorf("after %s: %+v, %v", core.TypeOf(step.body), row, err)
		}
	}
}

// waitsInVain is a store that fails once when somebody is to wait for a claim.
type waitsInVain struct {
	store.Store
	failed atomic.Bool
}

func (w *waitsInVain) Await(ctx context.Context, stream string, c core.Claim) error {
	if !w.failed.Swap(true) {
		return errors.New("not now")
	}
	return w.Store.Await(ctx, stream, c)
}

// driving is an engine whose project p is driven by run 1, with an epic behind it.
func driving(t *testing.T, look time.Duration, wrap func(store.Store) store.Store) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "s.db"), ledger: &ledger{seqs: map[string]int64{}}, recorder: newRecorder()}
	b.clock = &clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{Clock: b.clock.Now, LazyLooks: true})
	if err != nil {
		t.Fatal(err)
	}
	b.store = db
	b.engine = engine.New(engine.Options{
		Store: wrap(db), Journal: b.ledger, Deciders: []core.Decider{manager.Decider{}}, Steward: project.Decider{},
		Log: slog.New(slog.DiscardHandler), ID: "test", Look: look, Retry: 10 * time.Millisecond,
	})
	b.engine.SetDispatcher(b.recorder)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, db.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	b.submit("1", core.Person("me"), drives("1"))
	b.queue(1)
	return b
}

// drives starts a run that drives project p.
func drives(id string) core.RunStarted {
	started := byManager(id, core.DefaultLimits())
	started.Project = "p"
	return started
}

// queue puts the n-th epic of project p into its queue.
func (b *bench) queue(n int) {
	b.t.Helper()
	id := core.EpicID(n)
	body := core.EpicQueued{Epic: core.Epic{ID: id, Run: "run-of-" + id, Goal: "g", Playbook: "m", Base: "main"}}
	if err := b.engine.Record(b.t.Context(), "p", core.Person("ada"), body); err != nil {
		b.t.Fatal(err)
	}
}

// TestTheEndOfARunHintsAtTheProjectThatWaitsForIt: the hint is in the transaction
// that ends the run, and a look that failed is repeated.
func TestTheEndOfARunHintsAtTheProjectThatWaitsForIt(t *testing.T) {
	var vain *waitsInVain
	b := driving(t, 10*time.Millisecond, func(s store.Store) store.Store {
		vain = &waitsInVain{Store: s}
		return vain
	})
	if !waittest.Until(vain.failed.Load) {
		t.Fatal("nobody looks at the project")
	}
	b.submit("1", core.Person("me"), core.RunCancelled{})
	b.recorder.until(t, "epic-1", func() bool { return b.recorder.begins() == "epic-1" })
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
	b := driving(t, time.Hour, func(s store.Store) store.Store { return s })
	b.recorder.until(t, "a look at the queue", func() bool { return b.recorder.looked() == 2 })
	if epic := b.recorder.begins(); epic != "" {
		t.Fatalf("%s is to begin beside another run", epic)
	}
	b.submit("1", core.Person("me"), core.RunCancelled{})
	b.recorder.until(t, "epic-1", func() bool { return b.recorder.begins() == "epic-1" })
}
