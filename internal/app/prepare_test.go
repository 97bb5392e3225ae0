package app_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// slowJournal does not write the request of an attempt before the attempt is
// prepared.
type slowJournal struct {
	engine.Journal
	t       *testing.T
	state   string
	written atomic.Bool

	requests int
}

func (j *slowJournal) Append(ctx context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error {
	if slices.ContainsFunc(events, func(e core.Event) bool { return e.Type == core.TypeAttemptRequested }) {
		j.written.Store(false)
		// The first request may come before the engine owns the project. A look then writes the journal, and prepares nothing before.
		if j.requests++; j.requests > 1 {
			j.awaitSpec(ctx)
		}
		defer j.written.Store(true)
	}
	return j.Journal.Append(ctx, run, events, bodies)
}

func (j *slowJournal) specs() []string {
	found, err := filepath.Glob(filepath.Join(j.state, "attempts", "*", "*.a*", "spec.json"))
	if err != nil {
		j.t.Error(err)
	}
	return found
}

// awaitSpec waits until every attempt that was requested has its spec.
func (j *slowJournal) awaitSpec(ctx context.Context) {
	if !waittest.Until(func() bool { return ctx.Err() != nil || len(j.specs()) >= j.requests }) {
		j.t.Error("the attempt is not prepared before its request is journaled")
	}
}

// strictSpawner wants the journal to be written first.
type strictSpawner struct {
	spawn.Spawner
	journal *slowJournal
	starts  atomic.Int64
}

func (s *strictSpawner) Start(ctx context.Context, order spawn.Order) error {
	s.starts.Add(1)
	if !s.journal.written.Load() {
		s.journal.t.Error("effect before journal: a process was started while the manifest was being written")
	}
	return s.Spawner.Start(ctx, order)
}

// TestAnAttemptIsPreparedButNotStartedBeforeItsJournal lets preparing overlap
// with the journal, and nothing more.
func TestAnAttemptIsPreparedButNotStartedBeforeItsJournal(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": scenarioText, ".stellwerk/playbooks/tiny.yaml": playbookText,
	})
	state := stateFolder(t)
	journal := &slowJournal{t: t, state: state}
	spawner := &strictSpawner{journal: journal}
	ctx := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})
	a, err := app.Open(ctx, app.Options{State: state, Version: "test", Log: t.Output(), Wrap: func(p *app.Parts) {
		journal.Journal, spawner.Spawner = p.Journal, p.Spawner
		p.Journal, p.Spawner, p.Commands = journal, spawner, spawner
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "say hello", Playbook: "tiny", Trust: true, Yes: true, Preflight: "off"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, waittest.Limit)
	defer cancel()
	if err := a.Service.Follow(ctx, run.ID, 0, func(core.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if spawner.starts.Load() == 0 {
		t.Error("nothing was started")
	}
}
