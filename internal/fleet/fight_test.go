package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// childVariable names, for a process that is an engine, the folder of the store and its id.
const childVariable = "STELLWERK_FLEET_ENGINE"

func TestMain(m *testing.M) {
	if dir, id, is := strings.Cut(os.Getenv(childVariable), "|"); is {
		if err := serve(dir, id); err != nil {
			fmt.Fprintln(os.Stderr, id, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

// serve is an engine in a process of its own, until it is asked to end.
func serve(dir, id string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	m, err := newMember(context.Background(), dir, id, nil, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	m.run()
	<-ctx.Done()
	return m.leave()
}

// arena is a store with three engines, each a process, and somebody who speaks to an engine that owns nothing.
type arena struct {
	t       *testing.T
	dir     string
	world   world
	clerk   *member
	engines map[string]*exec.Cmd
	log     *os.File
	runs    []string
}

func newArena(t *testing.T, dir string, engines ...string) *arena {
	t.Helper()
	a := &arena{t: t, dir: dir, engines: map[string]*exec.Cmd{}}
	a.world = world{a.dir}
	var err error
	if a.log, err = os.Create(filepath.Join(a.dir, "log")); err != nil {
		t.Fatal(err)
	}
	if a.clerk, err = newMember(t.Context(), a.dir, "clerk", func(s store.Store) store.Store { return s }, slog.New(slog.NewTextHandler(a.log, nil))); err != nil {
		t.Fatal(err)
	}
	for _, id := range engines {
		a.begin(id)
	}
	t.Cleanup(func() {
		for id := range a.engines {
			a.end(id, syscall.SIGKILL)
		}
		if err := errors.Join(a.clerk.store.Close(), a.log.Close()); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			text, err := os.ReadFile(a.log.Name())
			t.Logf("the engines said, %v:\n%s", err, text)
		}
	})
	return a
}

func (a *arena) begin(id string) {
	a.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childVariable + "=" + a.dir + "|" + id, "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = io.Discard, a.log
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.engines[id] = cmd
}

// end has an engine end, and waits for it.
func (a *arena) end(id string, how syscall.Signal) {
	a.t.Helper()
	cmd := a.engines[id]
	delete(a.engines, id)
	if err := cmd.Process.Signal(how); err != nil {
		a.t.Error(err)
	}
	if err := cmd.Wait(); err != nil && how != syscall.SIGKILL {
		a.t.Errorf("%s ended with %v", id, err)
	}
}

// stop stops an engine, and returns when it stands: a signal that was sent is not one that was heard.
func (a *arena) stop(id string) {
	a.t.Helper()
	err := a.world.stopping(func() error {
		a.signal(id, syscall.SIGSTOP)
		var status unix.WaitStatus
		for {
			_, err := unix.Wait4(a.engines[id].Process.Pid, &status, unix.WUNTRACED, nil)
			if !errors.Is(err, unix.EINTR) {
				return err
			}
		}
	})
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *arena) signal(id string, s syscall.Signal) {
	a.t.Helper()
	if err := a.engines[id].Process.Signal(s); err != nil {
		a.t.Fatal(err)
	}
}

// say submits to the engine that owns nothing.
func (a *arena) say(run string, body core.Body) error {
	_, err := a.clerk.engine.Submit(a.t.Context(), run, core.Person("ada"), body)
	return err
}

// start begins a run of two phases in one of three projects.
func (a *arena) start(n int) string {
	a.t.Helper()
	id := fmt.Sprintf("r%d", n)
	if err := a.say(id, work(id, project(n))); err != nil {
		a.t.Fatal(err)
	}
	a.runs = append(a.runs, id)
	return id
}

// project is the one that the n-th run is of.
func project(n int) string { return fmt.Sprint("p", n%3) }

func work(id, project string) core.RunStarted {
	p := core.Playbook{Name: "p", Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}}
	for _, phase := range []string{"a", "b"} {
		p.Phases = append(p.Phases, core.Phase{
			ID: phase, Role: "dev", Writes: core.WritesCode, Gate: core.GateAuto, Attempts: 2, Timeout: time.Hour, Done: core.Check{Kind: core.CheckAll},
		})
	}
	limits := core.DefaultLimits()
	limits.Parallel = 100
	return core.RunStarted{
		Run: id, Alias: id, Project: project, Goal: "g", Title: "t", Limits: limits, Playbook: p,
		Base: "main", BaseCommit: "c0", Branch: "feature/" + id, Isolation: "none",
	}
}

// actor waits until so many effects of a run were executed, and says by whom the last was.
func (a *arena) actor(run string, effects int) string {
	a.t.Helper()
	last := ""
	if !waittest.Until(func() bool {
		acts, err := a.world.acts()
		if err != nil {
			a.t.Fatal(err)
		}
		n := 0
		for _, act := range acts {
			if strings.HasPrefix(act.key, run+" ") {
				n, last = n+1, act.engine
			}
		}
		return n >= effects
	}) {
		a.t.Fatalf("nobody executes effect %d of run %s", effects, run)
	}
	return last
}

// completed waits until a run is over.
func (a *arena) completed(run string) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), waittest.Limit)
	defer cancel()
	for {
		state, err := a.clerk.engine.Load(ctx, run)
		if err != nil {
			a.t.Fatalf("run %s: %v", run, err)
		}
		if state.Status == core.StatusCompleted && len(core.Effects(state)) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			a.t.Fatalf("run %s is %s at event %d: %+v", run, state.Status, state.Stream.Seq, core.Effects(state))
		case <-time.After(5 * time.Millisecond): // as often as the store is asked
		}
	}
}

// fights is how often engines fight.
func fights() int {
	if n, err := strconv.Atoi(os.Getenv("STELLWERK_FIGHTS")); err == nil {
		return n
	}
	return 8
}

// TestFights has three engines fight over three projects: in the middle of a run its owner is killed, stopped past its
// lease and continued, asked to end, or a person speaks to an engine that is not the owner.
func TestFights(t *testing.T) { forms(t, testFights) }

func testFights(t *testing.T, dir string) {
	a := newArena(t, dir, "e1", "e2", "e3")
	for n := range fights() {
		run := a.start(n)
		owner := a.actor(run, 1+rand.N(5))
		switch n % 4 {
		case 0:
			a.end(owner, syscall.SIGKILL)
			if rand.N(2) == 0 { // it comes back, or the others go on without it
				a.begin(owner)
				a.completed(run)
			} else {
				a.completed(run)
				a.begin(owner)
			}
		case 1:
			a.stop(owner)
			a.completed(run) // by another
			a.signal(owner, syscall.SIGCONT)
		case 2:
			a.end(owner, syscall.SIGTERM)
			a.completed(run)
			a.begin(owner)
		case 3:
			for _, word := range []core.Body{core.RunPaused{Code: core.PausePerson, Reason: "lunch"}, core.RunResumed{}} {
				if err := a.say(run, word); err != nil && core.CodeOf(err) != core.CodeConflict { // it is over already
					t.Fatal(err)
				}
			}
			a.completed(run)
		}
	}
	for id := range a.engines {
		a.end(id, syscall.SIGTERM)
	}
	a.verify()
}

// TestTheStopped: an engine that was stopped past its lease acts no more when it continues; what it reports late is
// refused, and that is on record.
func TestTheStopped(t *testing.T) { forms(t, testTheStopped) }

func testTheStopped(t *testing.T, dir string) {
	a := newArena(t, dir, "e1", "e2")
	refused := false
	for n := 0; !refused && n < 100; n++ {
		run := a.start(n)
		owner := a.actor(run, 1)
		a.stop(owner)
		a.completed(run)
		a.signal(owner, syscall.SIGCONT)
		next := a.start(n + 1000) // is executed whoever owns the project by now
		a.completed(next)
		counts, err := a.world.refusals()
		if err != nil {
			t.Fatal(err)
		}
		refused = len(counts) > 0
	}
	for id := range a.engines {
		a.end(id, syscall.SIGTERM)
	}
	if a.verify(); !refused {
		t.Error("no late conclusion was refused")
	}
}

// verify holds what is left against what must be true.
func (a *arena) verify() {
	a.t.Helper()
	acts, err := a.world.acts()
	if err != nil {
		a.t.Fatal(err)
	}
	times := map[string]int{}
	for _, act := range acts {
		if times[act.key]++; times[act.key] > 1 {
			a.t.Errorf("%s was executed again, by %s under fence %s", act.key, act.engine, act.fence)
		}
	}
	refusals, err := a.world.refusals()
	if err != nil {
		a.t.Fatal(err)
	}
	late := 0
	for _, run := range a.runs {
		events, err := a.clerk.store.Events(a.t.Context(), core.RunStream(run), 0, 0)
		if err == nil {
			_, err = core.VerifyChain(core.Head{}, events)
		}
		if err != nil {
			a.t.Errorf("run %s: %v", run, err)
		}
		late += a.concluded(run, events, refusals)
	}
	a.t.Logf("%d runs, %d effects, %d late conclusions refused", len(a.runs), len(acts), late)
}

// concluded looks that the conclusions of a run follow the order of its owners, and that refusals are on record.
func (a *arena) concluded(run string, events []core.Event, refusals map[string]int) (late int) {
	a.t.Helper()
	newest := 0
	recorded := map[string]int{}
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			a.t.Fatal(err)
		}
		by := ""
		switch b := body.(type) {
		case core.AttemptStarted:
			by = b.Agent
		case core.AttemptExited:
			by = b.Message
		case core.VerifyConcluded:
			by = b.Results[0].Detail
		case core.CommandRefused:
			id, _, _ := strings.Cut(strings.TrimPrefix(b.Reason, "engine "), " ")
			recorded[id]++
		default:
		}
		if _, text, ok := strings.Cut(by, "/"); ok {
			fence, err := strconv.Atoi(text)
			if err != nil || fence < newest {
				a.t.Errorf("run %s: event %d was committed under fence %s after one under %d", run, e.Seq, text, newest)
			}
			newest = max(newest, fence)
		}
	}
	for id := range a.allEngines() {
		late += recorded[id]
		if told := refusals[run+" "+id]; recorded[id] < told {
			a.t.Errorf("run %s: %d refusals of %s are on record, %d were", run, recorded[id], id, told)
		}
	}
	return late
}

func (*arena) allEngines() map[string]bool {
	return map[string]bool{"e1": true, "e2": true, "e3": true}
}
