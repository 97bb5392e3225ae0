package engine_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// asked counts what an engine asks of its store.
type asked struct {
	store.Store
	mu    sync.Mutex
	times map[string]int
}

func (a *asked) count(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times[what]++
}

func (a *asked) Run(ctx context.Context, id string) (store.RunRow, error) {
	a.count("run")
	return a.Store.Run(ctx, id)
}

func (a *asked) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	a.count("runs")
	return a.Store.Runs(ctx, f)
}

func (a *asked) Project(ctx context.Context, id string) (store.ProjectRow, error) {
	a.count("project")
	return a.Store.Project(ctx, id)
}

func (a *asked) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	a.count("projects")
	return a.Store.Projects(ctx, limit)
}

func (a *asked) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	a.count("events")
	return a.Store.Events(ctx, stream, after, limit)
}

// TestARestartAsksLittle: an engine that starts on many projects lists runs and projects once, and reads each
// stream once. It hands out what each run asks for before it begins to answer.
func TestARestartAsksLittle(t *testing.T) {
	b := newBench(t)
	const projects = 12
	for n := range projects {
		body := start(fmt.Sprintf("r%d", n), core.DefaultLimits())
		body.Project = fmt.Sprintf("p%d", n)
		b.submit(body.Run, core.Person("me"), body)
	}
	b.stop()
	store := &asked{Store: b.store, times: map[string]int{}}
	recorder := newRecorder()
	again := engine.New(engine.Options{Store: store, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "test"})
	again.SetDispatcher(recorder)
	if err := again.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range projects {
		if run := fmt.Sprintf("r%d", n); recorder.handed(run) != 1 {
			t.Errorf("effects of %s were handed out %d times", run, recorder.handed(run))
		}
	}
	most := map[string]int{
		"run": 0, "runs": 1, "project": 0, "projects": 1,
		"events": 3 * projects, // of project and run, and what the journal may lack
	}
	for what, most := range most {
		if store.times[what] > most {
			t.Errorf("%s: asked %d times, at most %d are needed", what, store.times[what], most)
		}
	}
}

// TestALotOfProjectsIsAskedForByItself: an engine that takes up many projects, lot by lot, does not list all open runs for each.
func TestALotOfProjectsIsAskedForByItself(t *testing.T) {
	b := newBench(t)
	const projects = 300 // more than are taken in one go
	for n := range projects {
		body := start(fmt.Sprintf("r%d", n), core.DefaultLimits())
		body.Project = fmt.Sprintf("p%d", n)
		b.submit(body.Run, core.Person("me"), body)
	}
	b.stop()
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	lists := &lister{Store: b.store}
	recorder := newRecorder()
	again := engine.New(engine.Options{Store: lists, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "other", Look: time.Millisecond})
	again.SetDispatcher(recorder)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- again.Run(ctx) }()
	for n := range projects {
		if run := fmt.Sprintf("r%d", n); !waittest.Until(func() bool { return recorder.handed(run) > 0 }) {
			t.Fatalf("effects of %s are not handed out", run)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if all := lists.all.Load(); all > 1 {
		t.Errorf("the open runs of all projects were listed %d times", all)
	}
}

// lister counts how often the runs of all projects are listed.
type lister struct {
	store.Store
	all atomic.Int32
}

func (l *lister) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	if f.Project == "" {
		l.all.Add(1)
	}
	return l.Store.Runs(ctx, f)
}

// unheard fails to list runs or to read streams as often as it is told to.
type unheard struct {
	store.Store
	runs, events, projects atomic.Int32
}

func (u *unheard) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	if u.runs.Add(-1) >= 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return u.Store.Runs(ctx, f)
}

func (u *unheard) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	if u.projects.Add(-1) >= 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return u.Store.Projects(ctx, limit)
}

func (u *unheard) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	if u.events.Add(-1) >= 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return u.Store.Events(ctx, stream, after, limit)
}

// TestWhatCouldNotBeReadIsTakenUpLater: a store that fails for a moment while an engine takes projects up does not leave their
// runs lying.
func TestWhatCouldNotBeReadIsTakenUpLater(t *testing.T) {
	for what, fail := range map[string]func(*unheard){
		"runs": func(u *unheard) { u.runs.Store(1) }, "projects": func(u *unheard) { u.projects.Store(1) }, "events": func(u *unheard) { u.events.Store(2) },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBench(t)
			const projects = 3
			for n := range projects {
				body := start(fmt.Sprintf("r%d", n), core.DefaultLimits())
				body.Project = fmt.Sprintf("p%d", n)
				b.submit(body.Run, core.Person("me"), body)
			}
			b.stop()
			failing := &unheard{Store: b.store}
			fail(failing)
			recorder := newRecorder()
			again := engine.New(engine.Options{
				Store: failing, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "test", Lease: 300 * time.Millisecond, Look: time.Hour,
			})
			again.SetDispatcher(recorder)
			if err := again.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- again.Run(ctx) }()
			for n := range projects {
				run := fmt.Sprintf("r%d", n)
				if !waittest.Until(func() bool { return recorder.handed(run) > 0 }) {
					t.Errorf("effects of %s are not handed out", run)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
