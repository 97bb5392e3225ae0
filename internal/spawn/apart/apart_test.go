package apart_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spawntest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	fresh := func(*testing.T, *apart.Options) {}
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel() // most of it waits
			contract(t, kind, fresh)
		})
	}
	t.Run("by a spare", func(t *testing.T) {
		t.Parallel()
		contract(t, sandbox.None, func(t *testing.T, o *apart.Options) {
			o.Empty, o.Spares = nil, spare.New(exchangetest.Ahead(t))
			o.Spares.Refill()
		})
	})
}

func contract(t *testing.T, kind sandbox.Kind, change func(*testing.T, *apart.Options)) {
	spawntest.Run(t, func(t *testing.T) spawntest.Harness {
		station := exchangetest.NewStation(t)
		return spawntest.Harness{
			Engine: func() spawn.Spawner {
				return station.Engine().Spawner(func(o *apart.Options) { change(t, o) })
			},
			Attempt: func(_ *testing.T, script string) spawntest.Attempt {
				station.Prepare(station.Current(), kind, script)
				return spawntest.Attempt{
					Order:  spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=value", shimtest.QuickExit}},
					Shared: station.Shared, Exit: station.Exit,
				}
			},
			Crash: func(t *testing.T, _ spawntest.Attempt) { kill(t, station) },
		}
	})
}

// TestASpare carries out the attempt: who would be started for it does nothing. The agent's end is heard, and there is another
// spare afterwards.
func TestASpare(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, `echo work > new.txt; test "$TOKEN" = value`)
	pool := spare.New(exchangetest.Ahead(t))
	pool.Refill()
	s := station.Engine().Spawner(func(o *apart.Options) {
		o.Empty, o.Spares, o.Worker = nil, pool, []string{"/bin/sh", "-c", "cat > /dev/null"}
	})
	if err := s.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=value", shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	ended := s.Idle(exchangetest.First)
	if status, err := s.Wait(t.Context(), exchangetest.First); err != nil || status != spawn.Exited {
		t.Fatalf("it is %s, %v", status, err)
	}
	<-ended
	if exit, err := station.Exit(t); err != nil || exit.ExitCode != 0 || exit.HandIn == nil || exit.HandIn.Empty {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
	if pool.Close() == nil {
		t.Error("there is no other spare")
	}
}

// TestASpareThatIsStopped, as an agent without isolation can do, does not keep an attempt from starting, and is gone then.
func TestASpareThatIsStopped(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	mark := filepath.Join(t.TempDir(), "pid")
	pool := spare.New([]string{"/bin/sh", "-c", `echo $$ > "$1.part"; mv "$1.part" "$1"; kill -STOP $$`, "sh", mark})
	pool.Refill()
	shimtest.Await(t, "the spare", func() bool { return shimtest.Exists(t, mark) })
	data, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	s := station.Engine().Spawner(func(o *apart.Options) { o.Empty, o.Spares = nil, pool })
	if err := s.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=value", shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	if status, err := s.Wait(t.Context(), exchangetest.First); err != nil || status != spawn.Exited {
		t.Errorf("it is %s, %v", status, err)
	}
	shimtest.Await(t, "the end of the stopped one", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

// TestASpareWritesItsAttemptsLog: what keeps it from its attempt is found there.
func TestASpareWritesItsAttemptsLog(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	pool, e := spare.New(exchangetest.Ahead(t)), station.Engine()
	pool.Refill()
	s := e.Spawner(func(o *apart.Options) {
		o.Empty, o.Spares, o.Token = nil, pool, func(spawn.ID) string { return "of nobody" }
	})
	if err := s.Start(t.Context(), spawn.Order{ID: exchangetest.First, Env: []string{shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	shimtest.Await(t, "the reason", func() bool {
		log, err := os.ReadFile(filepath.Join(e.Folder(exchangetest.First), shim.LogFile))
		return err == nil && strings.Contains(string(log), "no worker's")
	})
}

// TestByHand: a place that engines know nothing of starts a worker with flags, and its token in a file.
func TestByHand(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, `echo work > new.txt`)
	token := filepath.Join(t.TempDir(), "token")
	shimtest.Write(t, token, exchangetest.Token(exchangetest.First)+"\n")
	program := exchangetest.Ahead(t)[0]
	cmd := exec.CommandContext(t.Context(), program, append(worker.Command(program)[1:], "--exchange", station.URL(), "--token-file", token, "--dir", station.Workers())...)
	cmd.Env = append(os.Environ(), "TOKEN=value", shimtest.QuickExit)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if exit, err := station.Exit(t); err != nil || exit.Reason != shim.ReasonExited || exit.HandIn == nil || exit.HandIn.Empty {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}

// kill ends the worker that runs.
func kill(t *testing.T, station *exchangetest.Station) {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(station.Workers(), "attempt-*", "started"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%d attempts run, %v", len(marks), err)
	}
	var started shim.Started
	data, err := os.ReadFile(marks[0])
	if err == nil {
		err = json.Unmarshal(data, &started)
	}
	if err == nil {
		err = syscall.Kill(started.PID, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}
