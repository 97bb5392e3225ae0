package crash

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestCancelledAndKilled kills an engine that cancelled a run and had not
// stopped its attempt yet. The run is over, so nothing but the attempt calls for
// the next engine, which must stop it all the same: an agent that goes on costs
// money.
func TestCancelledAndKilled(t *testing.T) {
	for _, when := range []string{cancelAtOnce, cancelRunning} {
		t.Run(when, func(t *testing.T) {
			w := newWorld(t, "none", idleStory)
			o := w.order("feature/cancelled")
			o.Cancel = when
			w.live(o).end()
			if when == cancelAtOnce {
				w.unprepared()
			}
			w.stopped()
			w.quiet()
		})
	}
}

// unprepared takes away what the killed engine had prepared for attempts: it
// might have been killed before. Where it was quick enough to start one, the
// next engine has that to stop.
func (w *world) unprepared() {
	w.t.Helper()
	started := func() bool {
		marks, err := filepath.Glob(filepath.Join(w.state, "attempts", "*", "*", "started"))
		if err != nil {
			w.t.Fatal(err)
		}
		return len(marks) > 0
	}
	w.await("the end of every process, or the start of an attempt", func() bool { return len(w.processes()) == 0 || started() })
	if started() {
		return
	}
	for _, folder := range []string{"attempts", "work"} {
		folder = filepath.Join(w.state, folder)
		if err := os.RemoveAll(folder); err != nil {
			w.t.Fatal(err)
		}
	}
}

// stopped opens an engine and waits until the only run's attempt has ended.
func (w *world) stopped() {
	w.t.Helper()
	ctx := api.WithCaller(context.Background(), api.Caller{Actor: core.Person("me")})
	a, err := takeOver(ctx, app.Options{State: w.state, Version: "test", Log: w.t.Output()})
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			w.t.Error(err)
		}
	}()
	runs, err := a.Service.Runs(ctx, api.RunQuery{})
	if err != nil || len(runs) != 1 || runs[0].Status != core.StatusCancelled {
		w.t.Fatalf("the runs are %+v, %v", runs, err)
	}
	w.await("the end of the attempt", func() bool {
		events, err := a.Service.Events(ctx, runs[0].ID, 0, 1000)
		if err != nil {
			w.t.Fatal(err)
		}
		return slices.ContainsFunc(events, func(e core.Event) bool { return e.Type == core.TypeAttemptExited })
	})
}
