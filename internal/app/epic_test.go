package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// gated is a playbook whose runs stand at the plan's gate until somebody acts.
const gated = `
name: gated
kind: rules
agents: {s: {use: scripted, scenario: scenario.yaml}}
defaults: {agent: s}
plan: {role: planner, gate: approval}
steps: {role: developer, done: {files: README.md}, review: never}
`

const planner = `
attempts:
  - role: planner
    do:
      - write: {path: "out:plan.md", content: "# Plan\n\n## Steps\n\n### [ ] 1. One\n\nDo it.\n"}
`

// shop is a repository whose project is driven by one run at a time.
type shop struct {
	t          *testing.T
	dir, state string
	far        string // key of the project, where it is not the folder's
	app        *app.App
	ctx        context.Context //nolint:containedctx // the person's, in every call
}

func newShop(t *testing.T) *shop {
	s := &shop{t: t, state: stateFolder(t), ctx: api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")})}
	s.dir = repository(t, map[string]string{
		"README.md": "x\n", "scenario.yaml": planner, ".stellwerk/playbooks/gated.yaml": gated,
	})
	s.open(nil)
	t.Cleanup(func() {
		s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() })
		s.close()
	})
	return s
}

// busy reports an agent at work: it outlives the engine, and its folder.
func (s *shop) busy() bool {
	s.t.Helper()
	ctx := context.WithoutCancel(s.ctx)
	runs, err := s.app.Service.Runs(ctx, api.RunQuery{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range runs {
		d, err := s.app.Service.Run(ctx, r.ID)
		if err != nil {
			s.t.Fatal(err)
		}
		if r.Status == core.StatusActive {
			return true
		}
		for _, st := range d.Stages {
			for _, task := range st.Tasks {
				for _, a := range task.Attempts {
					if a.Status.Active() {
						return true
					}
				}
			}
		}
	}
	return false
}

func (s *shop) open(wrap func(*app.Parts)) {
	s.t.Helper()
	a, err := app.Open(s.ctx, app.Options{State: s.state, Version: "test", Log: s.t.Output(), Wrap: wrap})
	if err != nil {
		s.t.Fatal(err)
	}
	s.app = a
}

func (s *shop) close() {
	if s.app == nil {
		return
	}
	if err := s.app.Close(); err != nil {
		s.t.Error(err)
	}
	s.app = nil
}

func (s *shop) run(goal string) api.Run {
	s.t.Helper()
	run, err := s.app.Service.StartRun(s.ctx, api.StartRun{Dir: s.dir, Goal: goal, Playbook: "gated", Trust: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return run
}

func (s *shop) cancel(run api.Run) {
	s.t.Helper()
	if _, err := s.app.Service.Cancel(s.ctx, run.ID, api.Cancel{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) project() api.ProjectDetail {
	s.t.Helper()
	ctx := context.WithoutCancel(s.ctx) // also when the test is over
	if s.far != "" {
		d, err := s.app.Service.Project(ctx, s.far)
		if err != nil {
			s.t.Fatal(err)
		}
		return d
	}
	list, err := s.app.Service.Projects(ctx, api.ProjectQuery{Dir: s.dir})
	if err != nil || len(list) != 1 {
		s.t.Fatalf("%+v, %v", list, err)
	}
	d, err := s.app.Service.Project(ctx, list[0].ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// until waits for something that nothing signals to a client.
func (s *shop) until(what string, holds func(api.ProjectDetail) bool) {
	s.t.Helper()
	if !waittest.Until(func() bool { return holds(s.project()) }) {
		s.t.Fatalf("%s never: %+v", what, s.project())
	}
}

func driven(run api.Run) func(api.ProjectDetail) bool {
	return func(d api.ProjectDetail) bool { return d.Run != nil && d.Run.ID == run.ID && len(d.Queue) == 0 }
}

// severed is a store that stops working at a commit, as when the engine is
// killed before it.
type severed struct {
	store.Store
	at  func(store.Commit) bool
	hit chan struct{}

	mu   sync.Mutex
	dead bool
}

var errKilled = errors.New("killed")

func (s *severed) Commit(ctx context.Context, c store.Commit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.dead && s.at(c) {
		s.dead = true
		close(s.hit)
	}
	if s.dead {
		return errKilled
	}
	return s.Store.Commit(ctx, c)
}

// TestAKilledEngineStartsTheNextEpicOnce: at each durable step between the end
// of a run and the start of the next, an engine is lost, and the next engine
// goes on from there.
func TestAKilledEngineStartsTheNextEpicOnce(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(store.Commit) bool{
		"before the next run begins":         func(c store.Commit) bool { return c.Events[0].Type == core.TypeRunStarted },
		"before it is noted that it has":     func(c store.Commit) bool { return c.Events[0].Type == core.TypeEpicTaken },
		"before the run that drove it ended": func(c store.Commit) bool { return c.Events[0].Type == core.TypeRunCancelled },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			first, second := s.run("one"), s.run("two")
			if second.Status != api.StatusQueued || second.Epic.Behind != first.Alias || second.Epic.Place != 1 {
				t.Fatalf("%+v", second)
			}
			s.close()
			cut := &severed{at: at, hit: make(chan struct{})}
			s.open(func(p *app.Parts) { cut.Store, p.Store = p.Store, cut })
			_, err := s.app.Service.Cancel(s.ctx, first.ID, api.Cancel{})
			select {
			case <-cut.hit:
			case <-waittest.Over():
				t.Fatalf("the step was never reached: %v", err)
			}
			s.close()
			s.open(nil)
			if errors.Is(err, errKilled) {
				s.cancel(first)
			}
			s.until("the epic has become its run", driven(second))
			if runs := s.project().Runs; runs != 2 {
				t.Errorf("%d runs were started", runs)
			}
		})
	}
}

// TestWhatCannotBeStartedIsInNobodysWay: the playbook changed after it was
// trusted, so the epic that would obey it is refused, and the next one starts.
func TestWhatCannotBeStartedIsInNobodysWay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, second := s.run("one"), s.run("two")
	s.run("three")
	git(t, s.dir, "checkout", "-q", "-b", "other")
	third := s.run("on another branch")
	git(t, s.dir, "checkout", "-q", "main")
	if err := os.WriteFile(filepath.Join(s.dir, ".stellwerk/playbooks/gated.yaml"), []byte(gated+"# changed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, s.dir, "commit", "-q", "-a", "-m", "another playbook")
	s.cancel(first)
	s.until("the last epic has become its run", func(d api.ProjectDetail) bool { return d.Run != nil && d.Run.ID == third.ID })
	d := s.project()
	if len(d.Queue) != 2 || d.Queue[0].Run != second.ID || d.Queue[0].Refused == nil || !strings.Contains(d.Queue[0].Refused.Reason, "nobody has trusted") {
		t.Fatalf("%+v", d.Queue)
	}
	inbox, err := s.app.Service.Inbox(s.ctx)
	refused := slices.DeleteFunc(inbox, func(w api.Waiting) bool { return w.Epic == nil })
	if err != nil || len(refused) != 2 || !strings.Contains(refused[0].Run.Next, "requeue") || !strings.Contains(refused[1].Run.Next, "requeue") {
		t.Fatalf("%+v, %v", inbox, err)
	}
	if _, err := s.app.Service.Trust(s.ctx, api.Trust{Dir: s.dir, Playbook: "gated", Confirm: s.hash()}); err != nil {
		t.Fatal(err)
	}
	if d, err = s.app.Service.RequeueEpic(s.ctx, d.Name, api.RequeueEpic{}); err != nil || d.Queued != 2 || d.Refused != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	s.cancel(third)
	s.until("a refused epic has become its run", func(d api.ProjectDetail) bool { return d.Run != nil && d.Run.ID == second.ID })
}

func (s *shop) hash() string {
	s.t.Helper()
	seen, err := s.app.Service.Trust(s.ctx, api.Trust{Dir: s.dir, Playbook: "gated"})
	if err != nil {
		s.t.Fatal(err)
	}
	return seen.Hash
}

// TestAMessageToAnIdleProjectOpensARun is what a conversation rests on.
func TestAMessageToAnIdleProjectOpensARun(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if _, err := s.app.Service.AddProject(s.ctx, api.AddProject{Repository: s.dir, Name: "shop", Playbook: "gated"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.app.Service.Trust(s.ctx, api.Trust{Project: "shop", Confirm: s.hash()}); err != nil {
		t.Fatal(err)
	}
	run, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "shop", Goal: "Greet people"})
	if err != nil || run.Epic != nil {
		t.Fatalf("%+v, %v", run, err)
	}
	s.until("it is driven", driven(run))
	if next, err := s.app.Service.StartRun(s.ctx, api.StartRun{Project: "shop", Goal: "Greet more people"}); err != nil || next.Epic == nil || next.Epic.Behind != run.Alias {
		t.Fatalf("%+v, %v", next, err)
	}
}

// TestAPauseThatWasInterrupted: the word about the project counts, also for runs
// that an engine had no time to pause or to let go on.
func TestAPauseThatWasInterrupted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	run := s.run("one")
	lose := func(kind core.Type, say func() error) {
		t.Helper()
		s.close()
		cut := &severed{at: func(c store.Commit) bool { return c.Events[0].Type == kind }, hit: make(chan struct{})}
		s.open(func(p *app.Parts) { cut.Store, p.Store = p.Store, cut })
		if err := say(); !errors.Is(err, errKilled) {
			t.Fatalf("%v", err)
		}
		s.close()
		s.open(nil)
	}
	name := s.project().Name
	lose(core.TypeRunPaused, func() error {
		_, err := s.app.Service.PauseProject(s.ctx, name, api.PauseProject{Reason: "freeze"})
		return err
	})
	s.until("the run is paused", func(d api.ProjectDetail) bool { return d.Run != nil && d.Run.Status == "paused" })
	if _, err := s.app.Service.Resume(s.ctx, run.ID, api.Resume{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a run goes on in a project that stands still: %v", err)
	}
	lose(core.TypeRunResumed, func() error {
		_, err := s.app.Service.ResumeProject(s.ctx, name, api.ResumeProject{})
		return err
	})
	s.until("the run goes on", func(d api.ProjectDetail) bool { return d.Run != nil && d.Run.Status != "paused" })
}
