// Package spawntest is the suite every spawner that can kill and probe has to pass. It knows an attempt by what its
// agent leaves behind, and a spawner by the contract on spawn.Spawner alone.
package spawntest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Harness gives the suite a spawner and something to run.
type Harness struct {
	// Engine returns a spawner as a newly started engine has it, knowing nothing of the others.
	Engine func() spawn.Spawner
	// Attempt makes an attempt whose agent is a shell script. The secret TOKEN is part of its order.
	Attempt func(t *testing.T, script string) Attempt
	// Crash ends the shim of a running attempt so that it can do nothing more.
	Crash func(t *testing.T, a Attempt)
}

// Attempt is an order, the folder in which its agent leaves files for the test, which the variable SHARED names to it, and
// how it ended as far as an engine can tell.
type Attempt struct {
	Order  spawn.Order
	Shared string
	Exit   func(t *testing.T) (shim.Exit, error)
}

// Run runs the suite.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for name, test := range map[string]func(*testing.T, Harness){
		"says what it offers":        offers,
		"absent until started":       absent,
		"runs to its end":            runs,
		"runs once":                  once,
		"is adopted":                 adopted,
		"tells of the agent's end":   idle,
		"is killed":                  killed,
		"killed before its start":    killedBefore,
		"waiting can be given up":    givenUp,
		"is lost and salvaged":       lost,
		"salvaging needs a lost one": notLost,
		"an unknown one is absent":   unknown,
	} {
		t.Run(name, func(t *testing.T) { test(t, newHarness(t)) })
	}
}

func offers(t *testing.T, h Harness) {
	if c := h.Engine().Capabilities(); c.Name == "" || c.Platform == "" || len(c.Isolation) == 0 {
		t.Errorf("it offers %+v: a record needs its name, a verdict its platform, and an attempt some isolation", c)
	}
}

func absent(t *testing.T, h Harness) {
	a, s := h.Attempt(t, "true"), h.Engine()
	expect(t, s, a, spawn.Absent)
	if status, err := s.Wait(t.Context(), a.Order.ID); err != nil || status != spawn.Absent {
		t.Errorf("waiting gives %s, %v", status, err)
	}
}

func unknown(t *testing.T, h Harness) {
	if status, err := h.Engine().Probe(t.Context(), spawn.ID{Run: "none", Attempt: "none"}); err != nil || status != spawn.Absent {
		t.Errorf("got %s, %v", status, err)
	}
}

func runs(t *testing.T, h Harness) {
	a, s := h.Attempt(t, `printf %s "$TOKEN" | wc -c > "$SHARED/length"`), h.Engine()
	start(t, s, a)
	finish(t, s, a, shim.ReasonExited)
	if got := read(t, a, "length"); strings.TrimSpace(got) == "0" {
		t.Error("the secret did not arrive")
	}
}

func once(t *testing.T, h Harness) {
	a := h.Attempt(t, `echo run >> "$SHARED/runs"`)
	engines := []spawn.Spawner{h.Engine(), h.Engine(), h.Engine()}
	var group sync.WaitGroup
	for i := range 9 {
		group.Go(func() {
			if err := engines[i%len(engines)].Start(t.Context(), a.Order); err != nil {
				t.Errorf("start: %v", err)
			}
		})
	}
	group.Wait()
	for _, s := range engines {
		finish(t, s, a, shim.ReasonExited)
		start(t, s, a)
		finish(t, s, a, shim.ReasonExited)
	}
	if got := read(t, a, "runs"); got != "run\n" {
		t.Errorf("it ran %q", got)
	}
}

func adopted(t *testing.T, h Harness) {
	a, first, second := h.Attempt(t, waitForGo), h.Engine(), h.Engine()
	start(t, first, a)
	await(t, a, "ready")
	expect(t, first, a, spawn.Running)
	expect(t, second, a, spawn.Running)
	shimtest.Write(t, filepath.Join(a.Shared, "go"), "")
	finish(t, second, a, shim.ReasonExited)
	finish(t, first, a, shim.ReasonExited)
}

// idle: an engine that hears of the agent's end hears no sooner, and has heard when the attempt is over.
func idle(t *testing.T, h Harness) {
	a, s := h.Attempt(t, waitForGo), h.Engine()
	if s.Idle(a.Order.ID) != nil {
		t.Error("an agent that has not begun is listened to")
	}
	start(t, s, a)
	await(t, a, "ready")
	ended := s.Idle(a.Order.ID)
	if over(ended) {
		t.Error("it is said to have ended while it works")
	}
	shimtest.Write(t, filepath.Join(a.Shared, "go"), "")
	finish(t, s, a, shim.ReasonExited)
	if ended != nil {
		shimtest.Await(t, "the word of its end", func() bool { return over(ended) })
	}
}

func over(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

func killed(t *testing.T, h Harness) {
	a, first, second := h.Attempt(t, waitForGo), h.Engine(), h.Engine()
	start(t, first, a)
	await(t, a, "ready")
	for range 2 {
		if err := second.Kill(t.Context(), a.Order.ID); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, first, a, shim.ReasonCancelled)
	if err := second.Kill(t.Context(), a.Order.ID); err != nil {
		t.Errorf("killing what has ended: %v", err)
	}
}

func killedBefore(t *testing.T, h Harness) {
	a, s := h.Attempt(t, `echo x > "$SHARED/ran"`), h.Engine()
	if err := s.Kill(t.Context(), a.Order.ID); err != nil {
		t.Fatal(err)
	}
	start(t, s, a)
	finish(t, s, a, shim.ReasonCancelled)
	if shimtest.Exists(t, filepath.Join(a.Shared, "ran")) {
		t.Error("it ran")
	}
}

func givenUp(t *testing.T, h Harness) {
	a, s := h.Attempt(t, waitForGo), h.Engine()
	start(t, s, a)
	await(t, a, "ready")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, a.Order.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	shimtest.Write(t, filepath.Join(a.Shared, "go"), "")
	finish(t, s, a, shim.ReasonExited)
}

func lost(t *testing.T, h Harness) {
	a, first, second := h.Attempt(t, waitForGo), h.Engine(), h.Engine()
	start(t, first, a)
	await(t, a, "ready")
	idle := first.Idle(a.Order.ID)
	h.Crash(t, a)
	for _, s := range []spawn.Spawner{first, second} {
		if status, err := s.Wait(t.Context(), a.Order.ID); err != nil || status != spawn.Lost {
			t.Fatalf("got %s, %v", status, err)
		}
	}
	if over(idle) {
		t.Error("the agent of a lost attempt is said to have ended: nobody knows")
	}
	start(t, second, a)
	expect(t, second, a, spawn.Lost)
	for range 2 {
		if err := second.Salvage(t.Context(), a.Order.ID); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, second, a, shim.ReasonLost)
	if got := read(t, a, "ready"); got != "ready\n" {
		t.Errorf("it ran again: %q", got)
	}
}

func notLost(t *testing.T, h Harness) {
	a, s := h.Attempt(t, "true"), h.Engine()
	if err := s.Salvage(t.Context(), a.Order.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, s, a, spawn.Absent)
	start(t, s, a)
	finish(t, s, a, shim.ReasonExited)
	if err := s.Salvage(t.Context(), a.Order.ID); err != nil {
		t.Fatal(err)
	}
	finish(t, s, a, shim.ReasonExited)
}

// waitForGo says that it runs and goes on when it is told to.
const waitForGo = `echo ready >> "$SHARED/ready"; while [ ! -e "$SHARED/go" ]; do sleep 0.05; done`

func start(t *testing.T, s spawn.Spawner, a Attempt) {
	t.Helper()
	if err := s.Start(t.Context(), a.Order); err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, s spawn.Spawner, a Attempt, want shim.Reason) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	// An engine may see nothing yet of a start that another one has just requested.
	shimtest.Await(t, "a start", func() bool {
		status, err := s.Probe(ctx, a.Order.ID)
		return err != nil || status != spawn.Absent
	})
	if status, err := s.Wait(ctx, a.Order.ID); err != nil || status != spawn.Exited {
		t.Fatalf("waiting gives %s, %v", status, err)
	}
	if exit, err := a.Exit(t); err != nil || exit.Reason != want {
		t.Fatalf("exit is %+v, %v; want %s", exit, err, want)
	}
}

func expect(t *testing.T, s spawn.Spawner, a Attempt, want spawn.Status) {
	t.Helper()
	if got, err := s.Probe(t.Context(), a.Order.ID); err != nil || got != want {
		t.Fatalf("status is %s, %v; want %s", got, err, want)
	}
}

// await waits until an agent has written something into a file.
func await(t *testing.T, a Attempt, name string) {
	t.Helper()
	shimtest.Await(t, name, func() bool {
		info, err := os.Stat(filepath.Join(a.Shared, name))
		return err == nil && info.Size() > 0
	})
}

func read(t *testing.T, a Attempt, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(a.Shared, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
