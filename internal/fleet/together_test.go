package fleet

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// away is a store that does not answer while it is told to be gone.
type away struct {
	store.Store
	gone *atomic.Bool
}

var errGone = errors.New("the store does not answer")

func (s away) err() error {
	if s.gone.Load() {
		return errGone
	}
	return nil
}

func (s away) Now(ctx context.Context) (time.Time, error) {
	if err := s.err(); err != nil {
		return time.Time{}, err
	}
	return s.Store.Now(ctx)
}

func (s away) Commit(ctx context.Context, c store.Commit) error {
	if err := s.err(); err != nil {
		return err
	}
	return s.Store.Commit(ctx, c)
}

func (s away) Renew(ctx context.Context, id string, d time.Duration) ([]store.Owner, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.Store.Renew(ctx, id, d)
}

func (s away) Take(ctx context.Context, id string, d time.Duration, projects []string) ([]store.Owner, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.Store.Take(ctx, id, d, projects)
}

func (s away) Hints(ctx context.Context, id string, limit int) ([]store.Hint, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.Store.Hints(ctx, id, limit)
}

// together are engines in this process, of which the store can be away.
func together(t *testing.T, a *arena, ids ...string) (members map[string]*member, gone map[string]*atomic.Bool) {
	t.Helper()
	members, gone = map[string]*member{}, map[string]*atomic.Bool{}
	for _, id := range ids {
		off := &atomic.Bool{}
		m, err := newMember(t.Context(), a.dir, id, func(s store.Store) store.Store { return away{s, off} }, slog.New(slog.NewTextHandler(a.log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		m.run()
		members[id], gone[id] = m, off
	}
	t.Cleanup(func() {
		for id, m := range members {
			if err := m.fall(); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
	return members, gone
}

// TestTheStoreIsGoneForAWhile, for the owner alone: another goes on without it, and it does nothing more. For all: they go
// on when it is back.
func TestTheStoreIsGoneForAWhile(t *testing.T) {
	for name, all := range map[string]bool{"for the owner": false, "for all": true} {
		t.Run(name, func(t *testing.T) {
			forms(t, func(t *testing.T, dir string) { testTheStoreIsGone(t, dir, all) })
		})
	}
}

func testTheStoreIsGone(t *testing.T, dir string, all bool) {
	a := newArena(t, dir)
	_, gone := together(t, a, "e1", "e2", "e3")
	for n := range 6 {
		run := a.start(n)
		owner := a.actor(run, 1+n%5)
		for id, off := range gone {
			off.Store(all || id == owner)
		}
		if !all {
			a.completed(run)
		} else {
			a.adrift(n)
		}
		for _, off := range gone {
			off.Store(false)
		}
		a.completed(run)
	}
	a.verify()
}

// adrift waits until the lease of whoever owns the project of a run has run out.
func (a *arena) adrift(n int) {
	a.t.Helper()
	if !waittest.Until(func() bool {
		adrift, err := a.clerk.store.Adrift(a.t.Context(), "", 0)
		return err == nil && slices.ContainsFunc(adrift, func(o store.Owner) bool { return o.Project == project(n) })
	}) {
		a.t.Fatal("a lease does not run out")
	}
}

// TestACleanHandover: what an engine leaves is another's at once, long before its lease would have run out.
func TestACleanHandover(t *testing.T) { forms(t, testACleanHandover) }

func testACleanHandover(t *testing.T, dir string) {
	a := newArena(t, dir)
	members, _ := together(t, a, "e1", "e2")
	for n := range 4 {
		run := a.start(n)
		owner := a.actor(run, 2)
		if err := members[owner].leave(); err != nil {
			t.Fatal(err)
		}
		delete(members, owner)
		a.completed(run)
		again, _ := together(t, a, owner)
		members[owner] = again[owner]
		delete(again, owner)
	}
	a.verify()
}

// TestADrain: what an engine gives up is another's at once, and it takes nothing any more, although it runs.
func TestADrain(t *testing.T) { forms(t, testADrain) }

func testADrain(t *testing.T, dir string) {
	a := newArena(t, dir)
	members, _ := together(t, a, "e1", "e2")
	for n := range 4 {
		run := a.start(n)
		owner := a.actor(run, 2)
		if given, err := members[owner].engine.Drain(t.Context()); err != nil || given == 0 {
			t.Fatalf("%s gave up %d projects, %v", owner, given, err)
		}
		a.completed(run)
		next := a.start(n + 100)
		a.completed(next)
		if actor := a.actor(next, 1); actor == owner {
			t.Errorf("%s drains, and acts for run %s", owner, next)
		}
		engines, err := a.clerk.store.Engines(t.Context())
		if err != nil || !slices.ContainsFunc(engines, func(m store.Member) bool { return m.ID == owner && len(m.Projects) == 0 }) {
			t.Errorf("engines are %+v, %v", engines, err)
		}
		if err := members[owner].leave(); err != nil {
			t.Fatal(err)
		}
		delete(members, owner)
		again, _ := together(t, a, owner)
		members[owner] = again[owner]
		delete(again, owner)
	}
	a.verify()
}

// TestAWordToTheEngineThatDoesNotOwn: it is committed there, the owner acts upon it, and whoever follows at either sees what
// both committed. Two engines fall one after the other, and the third completes the run.
func TestAWordToTheEngineThatDoesNotOwn(t *testing.T) { forms(t, testAWordToAnother) }

func testAWordToAnother(t *testing.T, dir string) {
	a := newArena(t, dir)
	members, _ := together(t, a, "e1", "e2", "e3")
	a.start(0)
	first := a.actor("r0", 2)
	others := slices.DeleteFunc([]string{"e1", "e2", "e3"}, func(id string) bool { return id == first })
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	watched := make(chan error, 1)
	since, err := members[others[0]].engine.Position(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		watched <- members[others[0]].engine.Watch(ctx, since, func(m engine.Moved) error {
			if slices.Contains(m.Streams, core.RunStream("r1")) {
				return errGone // it has seen enough
			}
			return nil
		})
	}()
	if _, err := members[others[1]].engine.Submit(ctx, "r1", core.Person("ada"), work("r1", "p0")); err != nil {
		t.Fatal(err)
	}
	a.runs = append(a.runs, "r1")
	if err := <-watched; !errors.Is(err, errGone) {
		t.Errorf("a watcher at another engine: %v", err)
	}
	state, err := members[others[0]].engine.Until(ctx, "r1", func(r *core.Run) bool { return r.Status == core.StatusCompleted })
	if err != nil || state.Status != core.StatusCompleted {
		t.Errorf("who waits at an engine that does not own: %v", err)
	}
	a.completed("r0")
	a.completed("r1")
	for n := range 2 {
		run := a.start(3 + 3*n) // of the same project
		owner := a.actor(run, 1)
		m := members[owner]
		delete(members, owner)
		if err := m.fall(); err != nil {
			t.Fatal(err)
		}
		a.completed(run)
	}
	a.verify()
}
