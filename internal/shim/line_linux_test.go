package shim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// session is an attempt whose agent does nothing until it is told to end, while lines of shell run.
type session struct {
	shimtest.Attempt
	worker *exec.Cmd
}

func newSession(t *testing.T, kind sandbox.Kind, limits resource.Limits) session {
	t.Helper()
	a := shimtest.New(t, kind, `echo r > "$STELLWERK_OUT/ready"; until [ -e "$STELLWERK_OUT/go" ]; do sleep 0.02; done`, bounded(t, limits))
	s := session{a, a.Command(t, shimtest.RoleWorker)}
	if err := s.worker.Start(); err != nil {
		t.Fatal(err)
	}
	a.AwaitOutput(t, "ready")
	return s
}

func (s session) line(t *testing.T, line string) *exec.Cmd {
	cmd := s.Command(t, shimtest.RoleShell)
	cmd.Args = append(cmd.Args, line)
	return cmd
}

// end returns how the attempt ended.
func (s session) end(t *testing.T) shim.Exit {
	t.Helper()
	shimtest.Write(t, filepath.Join(s.Spec.Job.Out, "go"), "")
	if err := s.worker.Wait(); err != nil {
		t.Fatal(err)
	}
	return s.Exit(t)
}

// TestLineRunsIntoALimit: it is held to what an attempt may have, tells the session, and the attempt goes on and has it
// on record.
func TestLineRunsIntoALimit(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		for name, c := range map[string]struct {
			line, want string
			limits     resource.Limits
		}{
			"memory":    {`head -c 1073741824 /dev/zero | tail | wc -c | grep -q 1073741824 || exit 9; sleep 60`, "this command was killed at ", resource.Limits{Memory: 128 << 20}},
			"processes": {`sleep 3 & hold=$!; sh -c 'i=0; while [ $i -lt 3000 ]; do sleep 60 & i=$((i+1)); done'; wait $hold; exit 9`, " 100 processes, the limit of an attempt", resource.Limits{Processes: 100}},
		} {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSession(t, kind, c.limits)
				out, err := s.line(t, c.line).CombinedOutput()
				if said := string(out); err == nil || !strings.Contains(said, c.want) || !strings.Contains(said, "say so in your report") {
					t.Errorf("%v: the session is told %s", err, out)
				}
				if out, err := s.line(t, "echo on").CombinedOutput(); err != nil || string(out) != "on\n" {
					t.Errorf("%v: the next line says %s", err, out)
				}
				exit := s.end(t)
				if exit.Reason != shim.ReasonExited || exit.ExitCode != 0 || exit.Resources.Breach == nil || string(exit.Resources.Breach.Resource) != name {
					t.Errorf("it ended by %s with %d: %+v", exit.Reason, exit.ExitCode, exit.Resources)
				}
				if name == "memory" && exit.Resources.PeakMemory < 64<<20 {
					t.Errorf("the attempt's record has a peak of %d", exit.Resources.PeakMemory)
				}
			})
		}
	}
}

// TestLinesTogetherRunIntoALimit that each of them keeps: one of two has to end, and the other goes on.
func TestLinesTogetherRunIntoALimit(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			a := shimtest.New(t, kind, `echo r > "$STELLWERK_OUT/ready"; until [ -e "$STELLWERK_OUT/go" ]; do sleep 0.02; done`,
				bounded(t, resource.Limits{}), func(s *shim.Spec) { s.Resources.Total.Memory, s.Resources.Owner = 220<<20, s.Resources.Owner+"-all" })
			s := session{a, a.Command(t, shimtest.RoleWorker)}
			if err := s.worker.Start(); err != nil {
				t.Fatal(err)
			}
			a.AwaitOutput(t, "ready")
			said := make(chan string, 2)
			for range 2 {
				cmd := s.line(t, `dd if=/dev/zero bs=128M > >(sleep 600)`)
				go func() {
					out, _ := cmd.CombinedOutput() // what it says tells how it ended
					said <- string(out)
				}()
			}
			if first := <-said; !strings.Contains(first, "of memory") || !strings.Contains(first, "the limit of all attempts together") {
				t.Errorf("one is told %s", first)
			}
			exit := s.end(t)
			if second := <-said; !strings.Contains(second, "the attempt is over") || strings.Contains(second, "together") {
				t.Errorf("the other is told %s", second)
			}
			if exit.Resources.Breach == nil || !exit.Resources.Breach.Total {
				t.Errorf("%+v", exit.Resources)
			}
		})
	}
}

// TestLineFillsTheDisk of its attempt, which ends; so does the line, and says why.
func TestLineFillsTheDisk(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := newSession(t, kind, resource.Limits{Disk: 100 << 20})
			out, err := s.line(t, `i=0; while [ $i -lt 200 ]; do head -c 10485760 /dev/zero > $i; i=$((i+1)); done; sleep 600`).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "the attempt is over, stopped at ") || !strings.Contains(string(out), "the limit of an attempt is 100.0 MiB") {
				t.Errorf("%v: the session is told %s", err, out)
			}
			if err := s.worker.Wait(); err != nil {
				t.Fatal(err)
			}
			if exit := s.Exit(t); exit.Reason != shim.ReasonLimit || exit.Resources.Breach.Resource != resource.Disk {
				t.Errorf("it ended by %s: %+v", exit.Reason, exit.Resources)
			}
		})
	}
}

// TestLineEndsWithItsStarter, whom a session ends by force or asks to end.
func TestLineEndsWithItsStarter(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprint(kind, signal), func(t *testing.T) {
				s := newSession(t, kind, resource.Limits{Memory: 1 << 30, Processes: 500})
				cmd := s.line(t, `trap 'echo asked > "$STELLWERK_OUT/asked"; exit 3' TERM; echo up > "$STELLWERK_OUT/up"; while :; do sleep 0.1; done; : `+s.Folder)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				s.AwaitOutput(t, "up")
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait() // by a signal, or as the line ends
				shimtest.Await(t, "the line's end", func() bool { return shimtest.ProcessesWith(t, ": "+s.Folder) == 0 })
				if _, err := os.Stat(filepath.Join(s.Spec.Job.Out, "asked")); (err == nil) != (signal != syscall.SIGKILL) {
					t.Errorf("the line was asked to end: %v", err)
				}
				if exit := s.end(t); exit.Reason != shim.ReasonExited {
					t.Errorf("the attempt ended by %s", exit.Reason)
				}
			})
		}
	}
}

// TestLineEndsWithItsAttempt, and what it wrote last is handed in.
func TestLineEndsWithItsAttempt(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		s := newSession(t, kind, resource.Limits{Memory: 1 << 30})
		var said strings.Builder
		cmd := s.line(t, `trap 'echo last > last; exit 3' TERM; echo up > "$STELLWERK_OUT/up"; while :; do sleep 0.1; done`)
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		s.AwaitOutput(t, "up")
		exit := s.end(t)
		if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "the attempt is over") {
			t.Errorf("%s: %v: the session is told %s", kind, err, &said)
		}
		if got := s.BundleFile(t, exit, "last"); got != "last" {
			t.Errorf("%s: handed in is %q", kind, got)
		}
	}
}

// TestAReadOnlyShellRunsIntoALimit of its run.
func TestAReadOnlyShellRunsIntoALimit(t *testing.T) {
	onlySandbox(t)
	root, shared := t.TempDir(), t.TempDir()
	limits, err := json.Marshal(shim.Resources{Limits: resource.Limits{Memory: 128 << 20}, Owner: fmt.Sprintf("stellwerk-test-%d-glance", os.Getpid()), Shared: shared})
	if err != nil {
		t.Fatal(err)
	}
	cmd := shimtest.Attempt{Folder: root}.Command(t, shimtest.RoleGlance)
	cmd.Args = append(cmd.Args, root, `head -c 1073741824 /dev/zero | tail | wc -c | grep -q 1073741824 || exit 9`, string(limits))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "this command was killed at ") {
		t.Errorf("%v: the session is told %s", err, out)
	}
}

// TestLinesOfAPlainUser are held by other means than root's.
func TestLinesOfAPlainUser(t *testing.T) {
	onlySandbox(t)
	usertest.Again(t, nil, "TestLineRunsIntoALimit/sandbox/memory", "TestLineRunsIntoALimit/sandbox/processes", "TestLineFillsTheDisk/sandbox",
		"TestLinesTogetherRunIntoALimit/sandbox", "TestLineEndsWithItsAttempt", "TestAReadOnlyShellRunsIntoALimit")
}
