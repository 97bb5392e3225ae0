package erasure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// machine has folders of two projects, p1 and p2 with the runs r1 and r2.
type machine struct {
	*Sweeper
	forgot   []string
	collects []time.Time // before which objects were collected
	failing  error
}

// scene is a store on which machines work, whose clock can be moved on.
type scene struct {
	store.Store
	erased map[string]bool
	scrubs int
	later  time.Duration
}

func (s *scene) Now(ctx context.Context) (time.Time, error) {
	now, err := s.Store.Now(ctx)
	return now.Add(s.later), err
}

func (s *scene) Scrub(context.Context) error {
	s.scrubs++
	return nil
}

func (m *machine) Erased(ctx context.Context, stream string) (bool, error) {
	return m.Store.(*scene).erased[stream], ctx.Err()
}

func (m *machine) Forget(run string) { m.forgot = append(m.forgot, run) }

// folders stands for the journal and for the yards.
type folders struct{ root, suffix string }

func (f folders) remove(name string) error { return os.RemoveAll(filepath.Join(f.root, name+f.suffix)) }

type runFolders struct{ folders }

func (f runFolders) Remove(run string) error { return f.remove(run) }

type yardFolders struct{ folders }

func (f yardFolders) Remove(_ context.Context, project string) error { return f.remove(project) }

func newMachine(t *testing.T, s *scene) *machine {
	t.Helper()
	state := statefolder.Folder{Dir: t.TempDir()}
	for _, path := range everything() {
		must(t, os.MkdirAll(filepath.Join(state.Dir, path), 0o700))
		must(t, os.WriteFile(filepath.Join(state.Dir, path, "file"), nil, 0o600))
	}
	m := &machine{}
	m.Sweeper = New(Options{
		State: state, Store: s, Engine: m, Journal: runFolders{folders{state.Runs(), ""}}, Yards: yardFolders{folders{state.Yards(), ".git"}},
		Objects: func(_ context.Context, before time.Time) error {
			m.collects = append(m.collects, before)
			return m.failing
		},
	})
	return m
}

func everything() []string {
	return []string{
		"attempts/r1/build.r1.a1", "attempts/r2/build.r1.a1", "pulls/p1", "pulls/p2", "runs/r1", "runs/r2",
		"work/r1", "work/r2", "yards/p1.git", "yards/p2.git",
	}
}

// has are the folders that a machine has.
func (m *machine) has(t *testing.T) (paths []string) {
	t.Helper()
	for _, path := range everything() {
		if _, err := os.Stat(filepath.Join(m.State.Dir, path)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{Store: sqlitetest.New(t), erased: map[string]bool{}}
	for _, n := range []string{"1", "2"} {
		s.row(t, "p"+n, "r"+n, true)
	}
	return s
}

func (s *scene) row(t *testing.T, project, run string, over bool) {
	t.Helper()
	now, err := s.Store.Now(t.Context())
	must(t, err)
	e, _, err := core.Seal(core.RunStream(run), core.Head{}, now, core.Engine(), "", core.TimerFired{Timer: "t"})
	must(t, err)
	row := store.RunRow{ID: run, Project: project, Status: core.StatusActive, StartedAt: now, UpdatedAt: now}
	if over {
		row.Status, row.EndedAt = core.StatusCompleted, &now
	}
	must(t, s.Commit(t.Context(), store.Commit{Stream: e.Stream, Of: project, Events: []core.Event{e}, Run: &row}))
}

func (s *scene) erase(project, run string) {
	s.erased[core.ProjectStream(project)], s.erased[core.RunStream(run)] = true, true
}

// TestEveryMachineIsSwept of what was erased, and of nothing else.
func TestEveryMachineIsSwept(t *testing.T) {
	s := newScene(t)
	first, second := newMachine(t, s), newMachine(t, s)
	must(t, first.Sweep(t.Context()))
	must(t, Announce(t.Context(), s, "p1"))
	for _, m := range []*machine{first, second} { // before the erasure, and if there is none after all
		must(t, m.Sweep(t.Context()))
		if has := m.has(t); !slices.Equal(has, everything()) || s.scrubs > 0 {
			t.Fatalf("nothing was erased, and left are %q", has)
		}
	}
	s.erase("p1", "r1")
	want := slices.DeleteFunc(everything(), func(path string) bool {
		return slices.Contains([]string{"attempts/r1/build.r1.a1", "pulls/p1", "runs/r1", "work/r1", "yards/p1.git"}, path)
	})
	for _, m := range []*machine{first, second} {
		must(t, m.Sweep(t.Context()))
		if has := m.has(t); !slices.Equal(has, want) || !slices.Equal(m.forgot, []string{"r1"}) {
			t.Errorf("left are %q, forgotten are %q", has, m.forgot)
		}
	}
	if s.scrubs != 1 || len(first.collects)+len(second.collects) != 0 {
		t.Errorf("the store was scrubbed %d times, objects collected before %v and %v", s.scrubs, first.collects, second.collects)
	}

	// Objects become old enough. One engine collects them, and if it fails, it is tried again.
	s.later = object.Young + 2*time.Hour
	failure := errors.New("not now")
	first.failing = failure
	if err := first.Sweep(t.Context()); !errors.Is(err, failure) {
		t.Errorf("the failure is passed over: %v", err)
	}
	first.failing = nil
	for _, m := range []*machine{first, second, first} {
		must(t, m.Sweep(t.Context()))
	}
	if len(first.collects) != 2 || len(second.collects) != 0 || s.scrubs != 1 {
		t.Errorf("objects were collected before %v and %v, the store was scrubbed %d times", first.collects, second.collects, s.scrubs)
	}
	forgot := len(first.forgot)
	if must(t, first.Sweep(t.Context())); len(first.forgot) != forgot {
		t.Error("a machine that was seen to is looked through again")
	}
}

// TestAProjectThatBeganAnewKeepsItsYard while a run of it may use it.
func TestAProjectThatBeganAnewKeepsItsYard(t *testing.T) {
	s := newScene(t)
	m := newMachine(t, s)
	s.row(t, "p1", "r3", false)
	s.erase("p1", "r1")
	must(t, Announce(t.Context(), s, "p1"))
	must(t, m.Sweep(t.Context()))
	if has := m.has(t); !slices.Contains(has, "yards/p1.git") || slices.Contains(has, "runs/r1") {
		t.Errorf("left are %q", has)
	}
	// Erased again, it is looked at again.
	now, err := s.Store.Now(t.Context())
	must(t, err)
	head, err := s.Head(t.Context(), core.RunStream("r3"))
	must(t, err)
	must(t, s.Commit(t.Context(), store.Commit{
		Stream: core.RunStream("r3"), Of: "p1", After: head.Seq, Run: &store.RunRow{ID: "r3", Project: "p1", Status: core.StatusFailed, StartedAt: now, UpdatedAt: now, EndedAt: &now},
	}))
	must(t, m.Sweep(t.Context()))
	if has := m.has(t); slices.Contains(has, "yards/p1.git") {
		t.Errorf("left are %q", has)
	}
}
