package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
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

// counted is a store that counts what an engine asks it.
type counted struct {
	store.Store
	renewals, takes, looks atomic.Int64
}

func (c *counted) Renew(ctx context.Context, id string, lease time.Duration) ([]store.Owner, error) {
	defer c.renewals.Add(1)
	return c.Store.Renew(ctx, id, lease)
}

func (c *counted) Take(ctx context.Context, id string, lease time.Duration, projects []string) ([]store.Owner, error) {
	defer c.takes.Add(1)
	return c.Store.Take(ctx, id, lease, projects)
}

func (c *counted) Hints(ctx context.Context, id string, limit int) ([]store.Hint, error) {
	defer c.looks.Add(1)
	return c.Store.Hints(ctx, id, limit)
}

// released is a dispatcher that says for which projects it ends what is under way.
type released struct {
	*recorder
	projects chan string
}

func (r released) Release(project string) { r.projects <- project }

// twin is one of several engines of one identity, each with a store of its own on the same database.
type twin struct {
	*engine.Engine
	store    *counted
	released chan string
	end      func()
}

// await waits until something was counted twice more: the first may have begun before.
func await(t *testing.T, what string, n *atomic.Int64) {
	t.Helper()
	from := n.Load()
	if !waittest.Until(func() bool { return n.Load() >= from+2 }) {
		t.Fatalf("%s: never", what)
	}
}

func newTwin(t *testing.T, b *bench) *twin {
	t.Helper()
	db, err := sqlite.Open(t.Context(), b.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &twin{store: &counted{Store: db}, released: make(chan string, 10)}
	w.Engine = engine.New(engine.Options{
		Store: w.store, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "twin",
		Lease: 400 * time.Millisecond, Look: 10 * time.Millisecond,
	})
	w.SetDispatcher(released{newRecorder(), w.released})
	if err := w.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { w.end(); _ = db.Close() })
	return w
}

// TestTwinsDoNotShareProjects: of two engines of one identity, as of a machine whose disk was copied, the later one owns the
// projects. The earlier one notices, ends what it does for them, and never takes a project again. It does not end the other's
// lease when it ends.
func TestTwinsDoNotShareProjects(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.stop()
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := newTwin(t, b)
	before := first.Fence("p")
	if before == 0 || first.Retired() {
		t.Fatal("the first does not own the project")
	}
	second := newTwin(t, b)
	fence := second.Fence("p")
	if fence <= before {
		t.Fatalf("the first had fence %d, the second has %d", before, fence)
	}
	if !waittest.Until(first.Retired) || first.Fence("p") != 0 || first.Owns("p", before) {
		t.Fatalf("the first has fence %d", first.Fence("p"))
	}
	select {
	case project := <-first.released:
		if project != "p" {
			t.Errorf("it ends what it does for %s", project)
		}
	case <-waittest.Over():
		t.Error("it does not end what it does for the project")
	}
	if _, err := first.Conclude(t.Context(), "r1", before, core.TimerFired{Timer: "t"}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("it concludes something: %v", err)
	}
	if err := first.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	await(t, "the second renews its lease", &second.store.renewals)
	if second.Fence("p") != fence || !second.Owns("p", fence) || second.Retired() || len(second.released) > 0 {
		t.Errorf("the second has fence %d, not %d", second.Fence("p"), fence)
	}
	asked, took := first.store.renewals.Load(), first.store.takes.Load()
	second.end()
	if err := second.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	adrift, err := b.store.Adrift(t.Context(), "", 0)
	if err != nil || !slices.ContainsFunc(adrift, func(o store.Owner) bool { return o.Project == "p" }) {
		t.Fatalf("without an owner are %+v, %v", adrift, err)
	}
	await(t, "the first looks", &first.store.looks)
	if first.Fence("p") != 0 || first.store.renewals.Load() != asked || first.store.takes.Load() != took {
		t.Errorf("the first takes projects: fence %d, %d renewals, %d takes", first.Fence("p"), first.store.renewals.Load()-asked, first.store.takes.Load()-took)
	}
}
