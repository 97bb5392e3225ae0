package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestEveryEngineKnowsWhoCannotWorkOnAProject: until one takes it. An engine that finds out too late that it could not have
// taken it makes nobody believe that it is stranded.
func TestEveryEngineKnowsWhoCannotWorkOnAProject(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.stop()
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := func(host, lacks string) *engine.Engine {
		e := b.with(engine.Options{ID: host + "'s", Host: host, Deciders: []core.Decider{phases.Decider{}}, Able: func(context.Context, string) error {
			if lacks == "" {
				return nil
			}
			return errors.New(lacks)
		}})
		if err := e.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		return e
	}
	stranded := func(e *engine.Engine) string {
		all, err := e.Stranded(t.Context())
		if err != nil || len(all) > 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all["p"].Reason
	}
	attic := begin("attic", "no robot")
	begin("cellar", "no secret")
	if why := stranded(attic); !strings.Contains(why, "attic: no robot") || !strings.Contains(why, "cellar: no secret") {
		t.Errorf("nobody can work on it because %q", why)
	}
	able := begin("kitchen", "")
	if why := stranded(attic) + stranded(able); why != "" || able.Fence("p") == 0 {
		t.Errorf("it has an owner, and %q is said", why)
	}
	left, err := b.store.Documents(t.Context(), "unfit", "", "", 0)
	if err != nil || len(left) > 0 {
		t.Errorf("%d documents are left, %v", len(left), err)
	}
	late, err := b.store.PutDocument(t.Context(), engine.Lacks("p", "attic's"))
	if why := stranded(able); err != nil || why != "" {
		t.Errorf("%+v, %v: %q is said", late, err, why)
	}
}

// TestProjectsForOthersHideNone: an engine cannot work on more projects than it asks for at once. It takes the one that comes
// after all of them, and one that comes before them later.
func TestProjectsForOthersHideNone(t *testing.T) {
	b := newBench(t)
	b.stop()
	adrift := func(projects ...string) {
		t.Helper()
		_, err := b.store.Enlist(t.Context(), store.Engine{ID: "gone"}, time.Hour)
		if err == nil {
			_, err = b.store.Take(t.Context(), "gone", time.Hour, projects)
		}
		if err == nil {
			err = b.store.Leave(t.Context(), "gone")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	projects := []string{"z"}
	for n := range 3 * engine.TakeAtOnce {
		projects = append(projects, fmt.Sprintf("x%04d", n))
	}
	adrift(projects...)
	e := engine.New(engine.Options{
		Store: b.store, Journal: b.ledger, Log: slog.New(slog.DiscardHandler), ID: "choosy", Look: 10 * time.Millisecond,
		Able: func(_ context.Context, project string) error {
			if project[0] == 'x' {
				return errors.New("no robot")
			}
			return nil
		},
	})
	e.SetDispatcher(b.recorder)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	if !waittest.Until(func() bool { return e.Fence("z") > 0 }) {
		t.Error("it does not see the project behind those")
	}
	adrift("a")
	if !waittest.Until(func() bool { return e.Fence("a") > 0 }) {
		t.Error("it does not see the project before those")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n, _ := e.Owned(); n != 2 {
		t.Errorf("it owns %d projects", n)
	}
}
