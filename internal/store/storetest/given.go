package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// given is a first commit of a stream that was judged by another's position.
func given(t *testing.T, s store.Store, stream string, by ...store.Position) store.Commit {
	t.Helper()
	events, _ := seal(t, s, stream, core.Head{}, tick(1))
	return store.Commit{Stream: stream, Events: events, Given: by}
}

func testGiven(t *testing.T, open Open) {
	s := open(t)
	push(t, s, "project/p")
	for name, by := range map[string]store.Position{
		"behind": {Stream: "project/p", Seq: 0}, "ahead": {Stream: "project/p", Seq: 2}, "unknown": {Stream: "project/q", Seq: 1},
	} {
		err := s.Commit(t.Context(), given(t, s, "run/a", store.Position{Stream: "project/p", Seq: 1}, by))
		if !errors.Is(err, store.ErrStale) {
			t.Errorf("%s: got %v, want ErrStale", name, err)
		}
	}
	if head, err := s.Head(t.Context(), "run/a"); err != nil || head.Seq != 0 {
		t.Fatalf("something was committed: %+v, %v", head, err)
	}
	c := given(t, s, "run/a", store.Position{Stream: "project/p", Seq: 1}, store.Position{Stream: "project/q"})
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("where both stand as given: %v", err)
	}
}

func testIdle(t *testing.T, open Open) {
	s := open(t)
	row := &store.RunRow{ID: "a", Alias: "a-1", Project: "p", Status: core.StatusPaused}
	push(t, s, "run/a", func(c *store.Commit) { c.Run = row })
	c := given(t, s, "project/p")
	c.Idle = "p"
	var busy *store.RunOpen
	if err := s.Commit(t.Context(), c); !errors.As(err, &busy) || busy.Alias != "a-1" {
		t.Fatalf("got %v, want that run a-1 is open", err)
	}
	other := given(t, s, "project/q")
	other.Idle = "q"
	if err := s.Commit(t.Context(), other); err != nil {
		t.Fatalf("another project: %v", err)
	}
	row.Status = core.StatusCancelled
	push(t, s, "run/a", func(c *store.Commit) { c.Run = row })
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatalf("after the run's end: %v", err)
	}
}

// testGivenRace commits, at the same time, a run that was judged by its project
// and a step of the project that wants it idle. Never do both succeed.
func testGivenRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	type outcome struct{ run, project error }
	outcomes := make(chan outcome, 24)
	for i := range cap(outcomes) {
		project, run := fmt.Sprint("p", i), fmt.Sprint("r", i)
		push(t, stores[0], "project/"+project)
		start := given(t, stores[0], "run/"+run, store.Position{Stream: "project/" + project, Seq: 1})
		start.Run = &store.RunRow{ID: run, Alias: run, Project: project, Status: core.StatusActive}
		head, err := stores[0].Head(t.Context(), "project/"+project)
		if err != nil {
			t.Fatal(err)
		}
		events, _ := seal(t, stores[0], "project/"+project, head, tick(2))
		still := store.Commit{Stream: "project/" + project, After: 1, Events: events, Idle: project}
		go func() {
			began := make(chan error, 1)
			go func() { began <- stores[i%2].Commit(t.Context(), start) }()
			stopped := stores[(i+1)%2].Commit(t.Context(), still)
			outcomes <- outcome{<-began, stopped}
		}()
	}
	for range cap(outcomes) {
		o := <-outcomes
		var busy *store.RunOpen
		began, stopped := o.run == nil && errors.As(o.project, &busy), errors.Is(o.run, store.ErrStale) && o.project == nil
		if !began && !stopped {
			t.Errorf("the run: %v; the project: %v", o.run, o.project)
		}
	}
}
