package app_test

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// stores runs a test on each store that engines can share: a file, and a PostgreSQL database.
func stores(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "s.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.Database(t)) })
}

// twoEngines is a shop with a second engine on the same store and objects, which takes itself for one on the given machine.
func twoEngines(t *testing.T, database, machine string, log io.Writer) (s *shop, second *app.App, open func(app.Options) *app.App) {
	t.Helper()
	s = newShop(t)
	s.close()
	s.state = stateFolder(t)
	shared := t.TempDir()
	open = func(o app.Options) *app.App {
		o.Version, o.Database, o.Objects = "test", cmp.Or(database, filepath.Join(shared, "s.db")), filepath.Join(shared, "objects")
		a, err := app.Open(s.ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	s.app, second = open(app.Options{State: s.state, Log: t.Output()}), open(app.Options{State: stateFolder(t), Log: log, Machine: machine})
	t.Cleanup(func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, second, open
}

// TestTheSameRequestAtTwoEngines starts one run, and of one that has to wait, one epic.
func TestTheSameRequestAtTwoEngines(t *testing.T) { stores(t, testTheSameRequest) }

func testTheSameRequest(t *testing.T, database string) {
	s, second, _ := twoEngines(t, database, "", t.Output())
	ask := func(goal string, project func() string) (runs [2]api.Run) {
		t.Helper()
		id, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for i, a := range []*app.App{s.app, second} {
			both.Go(func() {
				var err error
				req := api.StartRun{Dir: s.dir, Project: project(), Goal: goal, Playbook: "gated", Trust: true, ID: id.String()}
				if runs[i], err = a.Service.StartRun(s.ctx, req); err != nil || runs[i].ID != id.String() {
					t.Errorf("engine %d: %s, %v", i, runs[i].ID, err)
				}
			})
		}
		both.Wait()
		return runs
	}
	first := ask("Sell tea", func() string { return "" })
	all, err := s.app.Service.Runs(s.ctx, api.RunQuery{})
	if err != nil || len(all) != 1 || all[0].ID != first[0].ID {
		t.Fatalf("there are %+v, %v", all, err)
	}
	project := func() string { return s.project().Name }
	waits := ask("Sell coffee", project)
	if waits[0].Epic == nil || waits[1].Epic == nil || waits[0].Epic.ID != waits[1].Epic.ID {
		t.Errorf("they became %+v and %+v", waits[0].Epic, waits[1].Epic)
	}
	if queue := s.project().Queue; len(queue) != 1 || queue[0].Run != waits[0].ID {
		t.Errorf("in the queue are %+v", queue)
	}
	for _, run := range all {
		if run.Status != core.StatusCancelled {
			s.cancel(run)
		}
	}
	// A worker whose engine is gone is silent until the other one takes its attempt for lost, a minute later.
	s.until("the second goal's plan waits", func(d api.ProjectDetail) bool { return driven(waits[0])(d) && !s.busy() })
}

// noted keeps what an engine logs.
type noted struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *noted) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(b)
}

func (n *noted) says(text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Contains(n.text.String(), text)
}

// find is what the first group of a pattern matches.
func (n *noted) find(pattern *regexp.Regexp) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := pattern.FindStringSubmatch(n.text.String())
	if found == nil {
		return ""
	}
	return found[1]
}

// TestAPathIsOfOneMachine: what lies there on another machine is another project, nobody on that machine starts something in
// this one, and its engine does not take it over, although a repository is there.
func TestAPathIsOfOneMachine(t *testing.T) { stores(t, testAPathIsOfOneMachine) }

func testAPathIsOfOneMachine(t *testing.T, database string) {
	var log noted
	s, second, open := twoEngines(t, database, "another machine", &log)
	run := s.run("Sell tea")
	s.until("the plan waits", func(api.ProjectDetail) bool { return !s.busy() })
	name := s.project().Name
	_, err := second.Service.StartRun(s.ctx, api.StartRun{Project: name, Goal: "Sell coffee", Playbook: "gated", Trust: true})
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "on another machine") {
		t.Errorf("a start from there: %v", err)
	}
	theirs, err := second.Service.StartRun(s.ctx, api.StartRun{Dir: s.dir, Goal: "Sell cake", Playbook: "gated", Trust: true})
	if err != nil || theirs.Project == run.Project {
		t.Errorf("what lies there became %s of project %s, %v", theirs.ID, theirs.Project, err)
	}
	if err := s.app.Close(); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { return log.says("a project is left to other engines") && log.says(run.Project) }) {
		t.Error("the engine there took it over")
	}
	s.app = open(app.Options{State: s.state, Log: t.Output()})
	for _, r := range []api.Run{run, theirs} {
		s.cancel(r)
	}
	s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() }) // while both engines are there
}

// TestACopyOfAStateFolderIsAnotherEngine on a shared store: it does not take the projects of the first for its own.
func TestACopyOfAStateFolderIsAnotherEngine(t *testing.T) {
	s, _, open := twoEngines(t, "", "", t.Output())
	s.cancel(s.run("Sell tea"))
	s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() })
	folder := filepath.Join(t.TempDir(), "state")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", s.state, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	second := open(app.Options{State: folder, Log: t.Output()})
	defer func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	}()
	ids := map[string]bool{}
	for _, dir := range []string{s.state, folder} {
		id, err := os.ReadFile(filepath.Join(dir, "engine.id"))
		if err != nil {
			t.Fatal(err)
		}
		ids[string(id)] = true
	}
	if len(ids) != 2 {
		t.Errorf("both are %v", ids)
	}
}
