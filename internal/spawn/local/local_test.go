package local_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spawntest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const roleEngine = "engine"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == roleEngine {
		engine(os.Args[2], os.Args[3])
	}
	shimtest.Intercept()
	goleak.VerifyTestMain(m)
}

// engine starts an attempt from a copy of its own program and then does nothing until it is killed.
func engine(folder, bin string) {
	programs, err := shim.InstallSelf(bin)
	if err == nil {
		err = spawner(programs.Worker, folder).Start(context.Background(), spawn.Order{ID: first})
	}
	if err != nil {
		panic(err)
	}
	time.Sleep(time.Hour)
}

// first is the attempt that has the folder of a spawner.
var first = spawn.ID{Run: "r1", Attempt: "a1"}

func spawner(program, folder string) *local.Spawner {
	return local.New(local.Options{
		Worker: []string{program, shimtest.RoleWorker}, Salvage: []string{program, shimtest.RoleSalvage}, Folder: at(folder),
	})
}

// prepared is a spawner that has a spare.
func prepared(program string, folder func() string) *local.Spawner {
	pool := spare.New([]string{program, shimtest.RoleAhead, "stellwerk-test"})
	pool.Refill()
	return local.New(local.Options{
		Worker: []string{"/bin/false"}, Salvage: []string{program, shimtest.RoleSalvage}, Spares: pool,
		Folder: func(id spawn.ID) string { return at(folder())(id) },
	})
}

// at gives the first attempt its folder, and others one that is not there.
func at(folder string) func(spawn.ID) string {
	return func(id spawn.ID) string {
		if id == first {
			return folder
		}
		return filepath.Join(folder, "none")
	}
}

func TestContract(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel() // most of it waits
			contract(t, kind, func(folder func() string) *local.Spawner { return spawner(self, folder()) })
		})
		t.Run(string(kind)+" ahead", func(t *testing.T) {
			t.Parallel()
			contract(t, kind, func(folder func() string) *local.Spawner { return prepared(self, folder) })
		})
	}
}

func contract(t *testing.T, kind sandbox.Kind, engine func(folder func() string) *local.Spawner) {
	spawntest.Run(t, func(t *testing.T) spawntest.Harness {
		folder := filepath.Join(t.TempDir(), "none") // until there is an attempt
		return spawntest.Harness{
			Engine: func() spawn.Spawner {
				s := engine(func() string { return folder })
				t.Cleanup(func() { drain(t, s) })
				return s
			},
			Attempt: func(t *testing.T, script string) spawntest.Attempt {
				a := shimtest.New(t, kind, script, func(s *shim.Spec) {
					s.Secrets, s.Env = []string{"TOKEN"}, map[string]string{"SHARED": s.Job.Out}
				})
				folder = a.Folder
				return spawntest.Attempt{
					Order:  spawn.Order{ID: first, Env: []string{"TOKEN=value", shimtest.QuickExit}},
					Shared: a.Spec.Job.Out, Exit: func(*testing.T) (shim.Exit, error) { return shim.ReadExit(a.Folder) },
				}
			},
			Crash: func(t *testing.T, _ spawntest.Attempt) { kill(t, folder) },
		}
	})
}

func drain(t *testing.T, s *local.Spawner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Error(err)
	}
}

func kill(t *testing.T, folder string) {
	t.Helper()
	var started shim.Started
	data, err := os.ReadFile(filepath.Join(folder, "started"))
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

func TestEngineKilledAndItsProgramReplaced(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			a := shimtest.New(t, kind, `echo x > "$STELLWERK_OUT/ready"
				while [ ! -e "$STELLWERK_OUT/go" ]; do sleep 0.05; done; echo late > late.txt`)
			program := copySelf(t)
			cmd := exec.Command(program, roleEngine, a.Folder, filepath.Join(a.State, "bin"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			a.AwaitOutput(t, "ready")
			// The whole group, as a terminal's interrupt or a service manager would.
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the engine ended well")
			}
			if err := os.WriteFile(program, []byte("not a program"), 0o755); err != nil {
				t.Fatal(err)
			}
			shimtest.Write(t, filepath.Join(a.Spec.Job.Out, "go"), "")
			ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
			defer cancel()
			if status, err := spawner("unused", a.Folder).Wait(ctx, first); err != nil || status != spawn.Exited {
				t.Fatalf("status %s, %v", status, err)
			}
			if exit := a.Exit(t); exit.Reason != shim.ReasonExited || a.BundleFile(t, exit, "late.txt") != "late" {
				t.Errorf("exit is %+v", exit)
			}
		})
	}
}

func copySelf(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestShimThatCannotStart(t *testing.T) {
	a := shimtest.New(t, sandbox.None, "true")
	err := spawner(filepath.Join(a.State, "missing"), a.Folder).Start(t.Context(), spawn.Order{ID: first})
	if err == nil {
		t.Fatal("no error")
	}
	crashing := local.New(local.Options{Worker: []string{"/bin/false"}, Folder: at(a.Folder)})
	if err := crashing.Start(t.Context(), spawn.Order{ID: first}); err != nil {
		t.Fatal(err)
	}
	drain(t, crashing)
	if status, err := crashing.Wait(t.Context(), first); err != nil || status != spawn.Absent {
		t.Errorf("status %s, %v", status, err)
	}
}

// TestAShimKnowsNothingOfTheEngine: of its environment it has only what is allowed
// by name.
func TestAShimKnowsNothingOfTheEngine(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("this system does not show the environment of a process")
	}
	t.Setenv("STELLWERK_TEST_CANARY", "sings")
	a := shimtest.New(t, sandbox.None, `tr '\0' '\n' </proc/$PPID/environ >"$STELLWERK_OUT/environment"`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := spawner(self, a.Folder)
	t.Cleanup(func() { drain(t, s) })
	if err := s.Start(t.Context(), spawn.Order{ID: first, Env: []string{shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
	if status, err := s.Wait(t.Context(), first); err != nil || status != spawn.Exited {
		t.Fatalf("status %s, %v", status, err)
	}
	environment, err := os.ReadFile(filepath.Join(a.Spec.Job.Out, "environment"))
	if err != nil || !strings.Contains(string(environment), "PATH=") || strings.Contains(string(environment), "CANARY") {
		t.Errorf("the shim's environment is %q, %v", environment, err)
	}
}
