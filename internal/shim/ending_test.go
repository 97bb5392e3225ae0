package shim_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

func TestTimeout(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":        "echo up; exec sleep 1000",
		"ignores TERM": "trap '' TERM; echo up; while :; do sleep 1; done",
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, kind sandbox.Kind) {
				a := shimtest.New(t, kind, script, func(s *shim.Spec) {
					s.Timeout, s.Grace = shim.Duration(500*time.Millisecond), shim.Duration(300*time.Millisecond)
				})
				exit := a.Run(t)
				if exit.Reason != shim.ReasonTimeout || exit.ExitCode < 128 || exit.Signal == "" {
					t.Errorf("exit is %+v", exit)
				}
				if exit.HandIn == nil || exit.HandIn.Error != "" {
					t.Errorf("hand-in is %+v", exit.HandIn)
				}
			})
		})
	}
}

// TestCancelWhileTheSandboxIsSetUp: an agent that is about to begin when its attempt is cancelled is asked to end once
// it is there, and not only killed when the grace time is over.
func TestCancelWhileTheSandboxIsSetUp(t *testing.T) {
	onlySandbox(t)
	real, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	a := shimtest.New(t, sandbox.Sandbox, "exec sleep 1000", func(s *shim.Spec) { s.Grace = shim.Duration(time.Minute) })
	slow, up := t.TempDir(), filepath.Join(t.TempDir(), "up")
	// All of it is done by the shell itself: another process would be taken for the agent.
	program := fmt.Sprintf("#!/bin/bash\n: >'%s'\nuntil [ -e '%s' ] && [ $SECONDS -ge 2 ]; do :; done\nexec '%s' \"$@\"\n",
		up, filepath.Join(a.Folder, "cancel"), real)
	shimtest.Write(t, filepath.Join(slow, "bwrap"), program)
	if err := os.Chmod(filepath.Join(slow, "bwrap"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := a.Command(t, shimtest.RoleWorker, "PATH="+slow+":"+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shimtest.Await(t, "the sandbox's program", func() bool { return shimtest.Exists(t, up) })
	if err := shim.Cancel(a.Folder); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	exit := a.Exit(t)
	if exit.Reason != shim.ReasonCancelled || exit.Signal != syscall.SIGTERM.String() {
		t.Errorf("exit is %+v", exit)
	}
}

// TestCancelLetsTheAgentFinishItsSentence, and a program that it starts for that.
func TestCancelLetsTheAgentFinishItsSentence(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `
			trap 'sh -c "sleep 0.3; echo saved > \"\$STELLWERK_OUT/last\""; exit 0' TERM
			echo x > "$STELLWERK_OUT/ready"; while :; do sleep 0.1; done`)
		cmd := a.Command(t, shimtest.RoleWorker)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		a.AwaitOutput(t, "ready")
		if state, err := shim.Look(a.Folder); err != nil || state != shim.StateRunning {
			t.Errorf("state is %s, %v", state, err)
		}
		if err := shim.Cancel(a.Folder); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		exit := a.Exit(t)
		if exit.Reason != shim.ReasonCancelled || exit.ExitCode != 0 || !shimtest.Exists(t, filepath.Join(a.Spec.Job.Out, "last")) {
			t.Errorf("exit is %+v", exit)
		}
	})
}

func TestSignalsToTheShim(t *testing.T) {
	for signal, want := range map[syscall.Signal]shim.Reason{
		syscall.SIGHUP: shim.ReasonExited, syscall.SIGTERM: shim.ReasonCancelled, syscall.SIGINT: shim.ReasonCancelled,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			a := shimtest.New(t, sandbox.None, `echo work > kept.txt; echo x > "$STELLWERK_OUT/ready"; until [ -e "$STELLWERK_OUT/go" ]; do sleep 0.1; done`)
			cmd := a.Command(t, shimtest.RoleWorker)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			a.AwaitOutput(t, "ready")
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if want == shim.ReasonExited {
				shimtest.Write(t, filepath.Join(a.Spec.Job.Out, "go"), "")
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			exit := a.Exit(t)
			if exit.Reason != want || a.BundleFile(t, exit, "kept.txt") != "work" {
				t.Errorf("exit is %+v", exit)
			}
		})
	}
}

func TestHangupIsNotIgnoredByTheAgent(t *testing.T) {
	exit := shimtest.New(t, sandbox.None, "kill -HUP $$; sleep 1000").Run(t)
	if exit.ExitCode != 128+int(syscall.SIGHUP) || exit.Signal != "hangup" {
		t.Errorf("exit is %+v", exit)
	}
}

// TestCancelledBeforeItStarted starts nothing, and hands in what an agent of a
// session may have written by then.
func TestCancelledBeforeItStarted(t *testing.T) {
	a := shimtest.New(t, sandbox.None, `echo ran > "$STELLWERK_OUT/ran"`)
	if err := os.WriteFile(filepath.Join(a.Spec.Job.Dir, "half.txt"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := shim.Cancel(a.Folder); err != nil {
		t.Fatal(err)
	}
	exit := a.Run(t)
	if exit.Reason != shim.ReasonCancelled || shimtest.Exists(t, filepath.Join(a.Spec.Job.Out, "ran")) || a.BundleFile(t, exit, "half.txt") != "half" {
		t.Errorf("exit is %+v", exit)
	}
}

// TestCancelReachesTheHandIn has work that takes for ever to be read.
func TestCancelReachesTheHandIn(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		a := shimtest.New(t, kind, `git config filter.slow.clean 'touch begun; exec sleep 1000'
			echo '*.txt filter=slow' > .gitattributes; echo work > work.txt`,
			func(s *shim.Spec) { s.CancelledHandIn = shim.Duration(time.Millisecond) })
		cmd := a.Command(t, shimtest.RoleWorker)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		shimtest.Await(t, "the hand-in", func() bool { return shimtest.Exists(t, filepath.Join(a.Workspace, "begun")) })
		if err := shim.Cancel(a.Folder); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		exit := a.Exit(t)
		if exit.Reason != shim.ReasonExited || exit.HandIn == nil || !strings.Contains(exit.HandIn.Error, "cancelled") {
			t.Errorf("exit is %+v, hand-in %+v", exit, exit.HandIn)
		}
		if !shimtest.Exists(t, filepath.Join(a.Workspace, "work.txt")) {
			t.Error("the work is gone")
		}
	})
}

func TestCancelReachesTheHandInAsAPlainUser(t *testing.T) {
	onlySandbox(t)
	usertest.Again(t, nil, "TestCancelReachesTheHandIn")
}

func TestDescendantsEndWithTheAgent(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		mark := "9" + strconv.FormatInt(time.Now().UnixNano(), 10)
		a := shimtest.New(t, kind, `
			(setsid sh -c 'setsid sleep `+mark+` & trap "" TERM; while :; do sleep `+mark+`; done' >/dev/null 2>&1 &)
			sleep `+mark+` &
			while [ "$(pgrep -cxf "sleep `+mark+`")" -lt 3 ]; do sleep 0.05; done
			echo done`)
		exit := a.Run(t)
		if n := shimtest.ProcessesWith(t, mark); n != 0 {
			t.Errorf("%d processes are left", n)
		}
		if exit.ExitCode != 0 || (kind == sandbox.None && exit.Killed < 3) {
			t.Errorf("exit is %+v", exit)
		}
	})
}

func TestKilledShimIsSalvaged(t *testing.T) {
	eachKind(t, func(t *testing.T, kind sandbox.Kind) {
		mark := "8" + strconv.FormatInt(time.Now().UnixNano(), 10)
		a := shimtest.New(t, kind, `
			trap "" TERM; echo precious > work.txt; echo r > "$STELLWERK_OUT/ready"; sleep `+mark+` & sleep `+mark+` & exec sleep `+mark)
		cmd := a.Command(t, shimtest.RoleWorker)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		a.AwaitOutput(t, "ready")
		if out, err := a.Command(t, shimtest.RoleSalvage).CombinedOutput(); err == nil || !strings.Contains(string(out), shim.ErrNotLost.Error()) {
			t.Errorf("a running attempt was salvaged: %v, %s", err, out)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the shim ended well")
		}
		if state, err := shim.Look(a.Folder); err != nil || state != shim.StateLost {
			t.Fatalf("state is %s, %v", state, err)
		}
		if out, err := a.Command(t, shimtest.RoleSalvage).CombinedOutput(); err != nil {
			t.Fatalf("salvage: %v: %s", err, out)
		}
		exit := a.Exit(t)
		if exit.Reason != shim.ReasonLost || a.BundleFile(t, exit, "work.txt") != "precious" || len(exit.Outputs) != 1 {
			t.Errorf("exit is %+v", exit)
		}
		shimtest.Await(t, "the agent's processes to end", func() bool { return shimtest.ProcessesWith(t, mark) == 0 })
		if out, err := a.Command(t, shimtest.RoleWorker).CombinedOutput(); err == nil {
			t.Errorf("a lost attempt ran again: %s", out)
		}
	})
}

func TestSalvageSparesTheNeighbour(t *testing.T) {
	script := `echo r > "$STELLWERK_OUT/ready"; while [ ! -e "$STELLWERK_OUT/go" ]; do sleep 0.05; done; exit 7`
	lost, neighbour := shimtest.New(t, sandbox.None, script), shimtest.New(t, sandbox.None, script)
	dying, living := lost.Command(t, shimtest.RoleWorker), neighbour.Command(t, shimtest.RoleWorker)
	for _, cmd := range []interface{ Start() error }{dying, living} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	lost.AwaitOutput(t, "ready")
	neighbour.AwaitOutput(t, "ready")
	if err := dying.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := dying.Wait(); err == nil {
		t.Error("the shim ended well")
	}
	if out, err := lost.Command(t, shimtest.RoleSalvage).CombinedOutput(); err != nil {
		t.Fatalf("salvage: %v: %s", err, out)
	}
	shimtest.Write(t, filepath.Join(neighbour.Spec.Job.Out, "go"), "")
	if err := living.Wait(); err != nil {
		t.Fatal(err)
	}
	if exit := neighbour.Exit(t); exit.ExitCode != 7 || lost.Spec.Attempt != neighbour.Spec.Attempt {
		t.Errorf("the neighbour, with the same id, ended with %+v", exit)
	}
}
