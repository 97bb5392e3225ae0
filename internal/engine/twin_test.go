package engine_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestTwinsDoNotShareProjects: of two engines of one identity, as of a machine whose disk was copied, the later one owns the
// projects. The earlier one notices, owns nothing any more, and does not end the other's lease when it ends.
func TestTwinsDoNotShareProjects(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.stop()
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	twin := func() *engine.Engine {
		t.Helper()
		db, err := sqlite.Open(ctx, b.path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Options{
			Store: db, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "twin",
			Lease: 400 * time.Millisecond, Look: 10 * time.Millisecond,
		})
		e.SetDispatcher(newRecorder())
		if err := e.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		running.Go(func() {
			if err := e.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		t.Cleanup(func() { running.Wait(); _ = db.Close() })
		return e
	}
	t.Cleanup(cancel)
	first := twin()
	if !waittest.Until(func() bool { return first.Fence("p") > 0 }) {
		t.Fatal("the first does not own the project")
	}
	second := twin()
	if !waittest.Until(func() bool { return first.Fence("p") == 0 && second.Fence("p") > 0 }) {
		t.Fatalf("the first has fence %d, the second %d", first.Fence("p"), second.Fence("p"))
	}
	if err := first.Leave(t.Context()); err != nil {
		t.Error(err)
	}
	fence := second.Fence("p")
	if !waittest.Until(func() bool { return second.Owns("p", fence) }) || first.Fence("p") != 0 {
		t.Error("the second lost the project")
	}
}
