package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// squad is engines on one store, each a process with a state folder of its own at which its workers find it.
type squad struct {
	t              *testing.T
	ctx            context.Context
	common, shared string
	engines        map[string]*exec.Cmd
	states         map[string]string
}

func newSquad(t *testing.T, names ...string) *squad { return newSquadOn(t, "", names...) }

// newSquadOn is a squad on a database, or on a file of its own.
func newSquadOn(t *testing.T, database string, names ...string) *squad {
	t.Helper()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	t.Cleanup(cancel)
	q := &squad{t: t, ctx: ctx, common: t.TempDir(), shared: t.TempDir(), engines: map[string]*exec.Cmd{}, states: map[string]string{}}
	if config.IsDatabase(database) {
		if err := os.WriteFile(filepath.Join(q.common, addressFile), []byte(database), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		q.begin(name)
	}
	t.Cleanup(func() {
		q.let("go-build") // agents of a test that failed end
		q.let("go-polish")
		for _, cmd := range q.engines {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	})
	return q
}

// begin starts an engine on its state folder, and waits until it answers.
func (q *squad) begin(name string) {
	q.t.Helper()
	if q.states[name] == "" {
		q.states[name] = stateFolder(q.t)
	}
	self, err := os.Executable()
	if err != nil {
		q.t.Fatal(err)
	}
	cmd := exec.Command(self, "member", "--state", q.states[name], q.common, "")
	cmd.Env = append(shim.HostEnvironment(os.Environ()), "HOME="+q.t.TempDir(), "GORACE=atexit_sleep_ms=0")
	cmd.Stdout, cmd.Stderr = q.t.Output(), q.t.Output()
	if err := cmd.Start(); err != nil {
		q.t.Fatal(err)
	}
	q.engines[name] = cmd
	q.ask(name, func(api.Service) error { return nil })
}

// ask asks an engine, as soon as it answers.
func (q *squad) ask(name string, what func(api.Service) error) {
	q.t.Helper()
	var svc api.Service
	var end func() error
	var err error
	if !waittest.Until(func() bool {
		svc, end, err = app.Dial(q.ctx, app.Options{State: q.states[name]})
		return err == nil
	}) {
		q.t.Fatalf("engine %s does not answer: %v", name, err)
	}
	if err := what(svc); err != nil {
		q.t.Fatalf("engine %s: %v", name, err)
	}
	if err := end(); err != nil {
		q.t.Error(err)
	}
}

// drain has an engine drain. What is returned waits until its process has ended in order.
func (q *squad) drain(name string, req api.Drain) (d api.Drained, ended func()) {
	q.t.Helper()
	d, wait, err := app.Drain(q.ctx, app.Options{State: q.states[name]}, req)
	if err != nil {
		q.t.Fatal(err)
	}
	return d, func() {
		q.t.Helper()
		if err := wait(q.ctx); err != nil {
			q.t.Fatalf("the end of engine %s: %v", name, err)
		}
		cmd := q.engines[name]
		delete(q.engines, name)
		if err := cmd.Wait(); err != nil {
			q.t.Errorf("engine %s ended with %v", name, err)
		}
	}
}

// listed is how an engine sees itself and the other on its store.
func (q *squad) listed(at string) (here, other api.Engine) {
	q.t.Helper()
	q.ask(at, func(svc api.Service) error {
		list, err := svc.Engines(q.ctx)
		for _, e := range list.Engines {
			if e.Here {
				here = e
			} else {
				other = e
			}
		}
		return err
	})
	return here, other
}

func (q *squad) let(name string) {
	q.t.Helper()
	if err := os.WriteFile(filepath.Join(q.shared, name), nil, 0o600); err != nil {
		q.t.Fatal(err)
	}
}

// begun are the attempts whose agents have begun, as often as they did.
func (q *squad) begun() []string {
	q.t.Helper()
	ledger, err := os.ReadFile(filepath.Join(q.shared, "ledger"))
	if err != nil && !os.IsNotExist(err) {
		q.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(ledger), "\n"), "\n")
}

func (q *squad) until(what string, holds func() bool) {
	q.t.Helper()
	if !waittest.Until(holds) {
		q.t.Fatalf("waited in vain: %s", what)
	}
}

// relayPlaybook has two phases, in which an agent signs a ledger and waits for leave.
const relayPlaybook = `
name: relay
kind: phases
agents: {c: {use: command, run: ["sh", "agent.sh"]}}
roles: {dev: {agent: c, prompt: work}}
phases:
  - {id: build, role: dev, outputs: [build.md], done: [{changed: "*.txt"}]}
  - {id: polish, role: dev, outputs: [polish.md], done: [{changed: "*.txt"}]}
`

const relayAgent = `stage=${STELLWERK_TASK%%.*}
echo "$STELLWERK_RUN $STELLWERK_ATTEMPT" >> $shared/ledger
until [ -e $shared/go-$stage ]; do sleep 0.05; done
echo $stage >> $stage.txt; echo did it > "$STELLWERK_OUT/$stage.md"
`

// repository makes a project for runs of the playbook.
func (q *squad) repository() string {
	return repository(q.t, map[string]string{"agent.sh": "shared=" + q.shared + "\n" + relayAgent, ".stellwerk/playbooks/relay.yaml": relayPlaybook})
}

// start begins a run at an engine.
func (q *squad) start(at, dir, goal string) (run api.Run) {
	q.t.Helper()
	q.ask(at, func(svc api.Service) (err error) {
		run, err = svc.StartRun(q.ctx, api.StartRun{Dir: dir, Goal: goal, Playbook: "relay", Trust: true, Yes: true, Isolation: "none"})
		return err
	})
	return run
}

// completed follows a run at an engine to its end, and returns how its attempts ended and how often it was paused and resumed.
func (q *squad) completed(at string, run api.Run) (ends []core.ExitKind, pauses, resumes int) {
	q.t.Helper()
	q.ask(at, func(svc api.Service) (err error) {
		ends, pauses, resumes, err = completes(q.ctx, svc, run)
		return err
	})
	return ends, pauses, resumes
}

func completes(ctx context.Context, svc api.Service, run api.Run) (ends []core.ExitKind, pauses, resumes int, err error) {
	err = svc.Follow(ctx, run.ID, 0, func(e core.Event) error {
		switch e.Type {
		case core.TypeAttemptExited:
			var end core.AttemptExited
			err := json.Unmarshal(e.Body, &end)
			ends = append(ends, end.Kind)
			return err
		case core.TypeRunPaused:
			if pauses++; !strings.Contains(string(e.Body), "lunch") {
				return fmt.Errorf("paused: %s", e.Body)
			}
		case core.TypeRunResumed:
			resumes++
		default:
		}
		return nil
	})
	if err != nil {
		return nil, 0, 0, err
	}
	d, err := svc.Run(ctx, run.ID)
	if err == nil && d.Status != core.StatusCompleted {
		err = fmt.Errorf("run %s is %s", run.Alias, d.Status)
	}
	return ends, pauses, resumes, err
}

// TestADrainedEngineWaitsForItsAttempts: its projects are another's at once, which goes on with them, and the attempt under way on its
// machine ends there as any other. Then the engine ends by itself.
func TestADrainedEngineWaitsForItsAttempts(t *testing.T) {
	t.Parallel()
	q := newSquad(t, "a")
	run := q.start("a", q.repository(), "Sell tea")
	q.until("the agent begins", func() bool { return len(q.begun()) == 1 && q.begun()[0] != "" })
	q.begin("b")
	d, ended := q.drain("a", api.Drain{})
	if !d.Begun || d.Alone || d.Projects != 1 || d.Attempts != 1 {
		t.Errorf("it drains as %+v", d)
	}
	q.until("the other engine owns the project", func() bool { here, _ := q.listed("b"); return len(here.Projects) == 1 })
	if here, other := q.listed("a"); here.State != api.EngineDraining || here.Drains == nil || len(here.Projects) != 0 || other.State != api.EngineWorking {
		t.Errorf("it lists itself as %+v, the other as %+v", here, other)
	}
	if _, other := q.listed("b"); other.State != api.EngineDraining || len(other.Projects) != 0 {
		t.Errorf("the other lists it as %+v", other)
	}
	next := q.start("a", q.repository(), "Sell coffee") // it still hears people, and leaves the work to others
	q.until("an agent of the new run begins", func() bool { return len(q.begun()) == 2 })
	if here, _ := q.listed("b"); len(here.Projects) != 2 {
		t.Errorf("the other engine owns %+v", here.Projects)
	}
	q.let("go-build")
	q.let("go-polish")
	ended()
	for _, r := range []api.Run{run, next} {
		if ends, _, _ := q.completed("b", r); !slices.Equal(ends, []core.ExitKind{core.ExitFinished, core.ExitFinished}) {
			t.Errorf("attempts of %s ended as %v", r.Alias, ends)
		}
	}
	if begun := q.begun(); len(begun) != 4 {
		t.Errorf("agents began as %v", begun)
	}
	q.until("the ended engine is not listed", func() bool { _, other := q.listed("b"); return other.ID == "" })
}

// TestARollingUpgrade: two engines drain and come back in turn while attempts are under way and people speak to both. Nothing is
// lost, and nothing happens twice.
func TestARollingUpgrade(t *testing.T) { stores(t, testARollingUpgrade) }

func testARollingUpgrade(t *testing.T, database string) {
	t.Parallel()
	q := newSquadOn(t, database, "a")
	dirs := []string{q.repository(), q.repository()}
	runs := []api.Run{q.start("a", dirs[0], "Sell tea 0")}
	q.until("an agent of the first engine is at work", func() bool { return q.begun()[0] != "" }) // without one it would not wait
	q.begin("b")
	for n := range 3 {
		runs = append(runs, q.start([]string{"b", "a"}[n%2], dirs[(n+1)/2], fmt.Sprintf("Sell tea %d", n+1)))
	}
	q.until("agents are at work", func() bool { return len(q.begun()) >= 2 })
	turn := func(drained, other, leave string) {
		t.Helper()
		_, ended := q.drain(drained, api.Drain{})
		for i, run := range runs { // half of the words to each
			first, second := drained, other
			if i%2 == 1 {
				first, second = other, drained
			}
			q.ask(first, func(svc api.Service) error {
				_, err := svc.Pause(q.ctx, run.ID, api.Pause{Reason: "lunch"})
				return err
			})
			q.ask(second, func(svc api.Service) error { _, err := svc.Resume(q.ctx, run.ID, api.Resume{}); return err })
		}
		q.let(leave)
		ended()
		q.begin(drained)
	}
	turn("a", "b", "go-build")
	q.until("agents are at work in the second phase", func() bool {
		return slices.ContainsFunc(q.begun(), func(line string) bool { return strings.Contains(line, " polish.") })
	})
	turn("b", "a", "go-polish")
	for _, run := range runs {
		ends, pauses, resumes := q.completed("a", run)
		if !slices.Equal(ends, []core.ExitKind{core.ExitFinished, core.ExitFinished}) {
			t.Errorf("attempts of %s ended as %v", run.Alias, ends)
		}
		if pauses != 2 || resumes != 2 {
			t.Errorf("run %s was paused %d times and resumed %d times", run.Alias, pauses, resumes)
		}
	}
	begun := q.begun()
	if slices.Sort(begun); len(begun) != 2*len(runs) || len(slices.Compact(begun)) != 2*len(runs) {
		t.Errorf("agents began as %v", begun)
	}
}

// TestAnEngineThatDrainsAlone says that nobody takes over, and does nothing before it may. Stopping it ends the waiting at once, and
// so does the time that it was given; the attempts under way are the next engine's.
func TestAnEngineThatDrainsAlone(t *testing.T) {
	t.Parallel()
	for name, within := range map[string]time.Duration{"stopped": 0, "in time": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newSquad(t, "a")
			run := q.start("a", q.repository(), "Sell tea")
			q.until("the agent begins", func() bool { return q.begun()[0] != "" })
			q.until("the engine owns the project", func() bool { here, _ := q.listed("a"); return len(here.Projects) == 1 && here.Attempts == 1 })
			if d, _ := q.drain("a", api.Drain{}); d.Begun || !d.Alone || d.Projects != 1 || d.Attempts != 1 {
				t.Errorf("alone it drains as %+v", d)
			}
			if here, _ := q.listed("a"); here.State != api.EngineWorking || len(here.Projects) != 1 {
				t.Errorf("it is %+v", here)
			}
			_, ended := q.drain("a", api.Drain{Alone: true, Within: within})
			if within == 0 {
				if here, _ := q.listed("a"); here.State != api.EngineDraining || len(here.Projects) != 0 {
					t.Errorf("it is %+v", here)
				}
				if info, err := app.Stop(q.ctx, app.Options{State: q.states["a"]}); err != nil || info.PID == 0 {
					t.Errorf("%+v, %v", info, err)
				}
			}
			ended()
			q.begin("a")
			q.let("go-build")
			q.let("go-polish")
			if ends, _, _ := q.completed("a", run); !slices.Equal(ends, []core.ExitKind{core.ExitFinished, core.ExitFinished}) || len(q.begun()) != 2 {
				t.Errorf("attempts ended as %v, agents began as %v", ends, q.begun())
			}
		})
	}
}

// TestDrainingWhatDoesNotRun is no error.
func TestDrainingWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	if d, _, err := app.Drain(t.Context(), app.Options{State: stateFolder(t)}, api.Drain{}); err != nil || d != (api.Drained{}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestASoleEngineDrains: with a state folder of its own it waits for its attempts, too, and the next engine takes over what they made.
func TestASoleEngineDrains(t *testing.T) {
	t.Parallel()
	q := newSquad(t)
	q.states["a"] = stateFolder(t)
	ended := make(chan struct{})
	opts := app.Options{State: q.states["a"], Log: t.Output(), Drained: func() { close(ended) }}
	a, err := app.Open(q.ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Service.StartRun(q.ctx, api.StartRun{Dir: q.repository(), Goal: "Sell tea", Playbook: "relay", Trust: true, Yes: true, Isolation: "none"})
	if err != nil {
		t.Fatal(err)
	}
	q.until("the agent begins", func() bool { return q.begun()[0] != "" })
	q.until("that is on record", func() bool {
		d, err := a.Service.Drain(q.ctx, api.Drain{})
		return err == nil && d.Alone && !d.Begun && d.Attempts == 1
	})
	if d, err := a.Service.Drain(q.ctx, api.Drain{Alone: true}); err != nil || !d.Begun || d.Projects != 1 || d.Attempts != 1 {
		t.Errorf("it drains as %+v, %v", d, err)
	}
	q.let("go-build")
	select {
	case <-ended:
	case <-waittest.Over():
		t.Fatal("it does not end")
	}
	if d, err := a.Service.Run(q.ctx, run.ID); err != nil || len(d.Stages) == 0 || d.Stages[0].Status == core.StageDone {
		t.Errorf("it went on with %+v, %v", d.Stages, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	q.let("go-polish")
	if a, err = app.Open(q.ctx, app.Options{State: q.states["a"], Log: t.Output()}); err != nil {
		t.Fatal(err)
	}
	if err := a.Service.Follow(q.ctx, run.ID, 0, func(core.Event) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if begun := q.begun(); len(begun) != 2 {
		t.Errorf("agents began as %v", begun)
	}
}
