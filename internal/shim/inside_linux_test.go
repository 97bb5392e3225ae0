package shim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// apart tells that a sandbox of its own handed an attempt in, or tried to.
func apart(t *testing.T, a shimtest.Attempt) bool {
	t.Helper()
	return shimtest.Exists(t, filepath.Join(a.Folder, "handin"))
}

// maker makes folders.
func maker(t *testing.T) func(string) string {
	t.Helper()
	return func(path string) string {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// TestWhereAnAttemptIsHandedIn: the agent's own sandbox does it if it is still there and shows the same workspace.
func TestWhereAnAttemptIsHandedIn(t *testing.T) {
	onlySandbox(t)
	impatient := func(s *shim.Spec) { s.Grace = shim.Duration(200 * time.Millisecond) }
	const ready = `echo x > "$STELLWERK_OUT/ready"; `
	made := maker(t)
	below := func(s *shim.Spec) string { return filepath.Join(s.Job.Dir, ".git") }
	for name, c := range map[string]struct {
		script string
		change func(*shim.Spec)
		apart  bool
	}{
		"an ordinary attempt":              {"", func(*shim.Spec) {}, false},
		"one that fails":                   {"exit 3", func(*shim.Spec) {}, false},
		"one that ends when asked":         {ready + "exec sleep 1000", func(*shim.Spec) {}, false},
		"one with much memory":             {"", bounded(t, resource.Limits{Memory: 2 << 30}), false},
		"one with less memory than git":    {"", bounded(t, resource.Limits{Memory: 256 << 20}), true},
		"one that is killed":               {"trap '' TERM; " + ready + "while :; do sleep 0.1; done", impatient, true},
		"an open network, without bridge":  {"", func(s *shim.Spec) { s.Network.Open = true }, true},
		"a folder of its own below":        {"", func(s *shim.Spec) { s.Writable = []string{below(s)} }, true},
		"a folder below that is read-only": {"", func(s *shim.Spec) { s.ReadOnly = []string{filepath.Join(below(s), "refs")} }, true},
		"a hidden folder below":            {"", func(s *shim.Spec) { s.Masked = append(s.Masked, made(filepath.Join(s.Job.Dir, "none"))) }, true},
		"a session":                        {"", func(s *shim.Spec) { s.Session = "s1" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := shimtest.New(t, sandbox.Sandbox, "echo work > kept.txt; "+c.script, c.change)
			run := a.Run
			if strings.Contains(c.script, ready) {
				run = func(t testing.TB, _ ...string) shim.Exit { return a.Cancel(t) }
			}
			exit := run(t)
			if apart(t, a) != c.apart || a.BundleFile(t, exit, "kept.txt") != "work" {
				t.Errorf("apart: %v; exit is %+v", apart(t, a), exit)
			}
			if shimtest.ProcessesWith(t, a.Folder) > 0 {
				t.Error("something was left running")
			}
		})
	}
}

// TestAgentAgainstItsHandIn has agents that prepare the sandbox for who hands in after them.
func TestAgentAgainstItsHandIn(t *testing.T) {
	onlySandbox(t)
	made := maker(t)
	state := func(s *shim.Spec) string { return s.Masked[0] }
	for name, c := range map[string]struct {
		script string
		change func(*shim.Spec)
		says   string
		apart  bool
		either bool
	}{
		"it sends every signal to the first process": {script: `for s in $(seq 1 31) $(seq 35 64); do kill -$s 1; done 2>/dev/null`},
		// Go catches all signals but three. The kernel keeps those from the first process, too, but not while one of its threads forks.
		"it sends what the first process cannot catch":                {script: `for n in $(seq 1 100); do for s in 32 33 34; do kill -$s 1; done; done 2>/dev/null`, either: true},
		"it sets the limits of the first process":                     {script: `prlimit --pid 1 --nofile=16`, apart: true},
		"it queues a signal that the first process takes for a fault": {script: `env kill -q 0 -s SEGV 1; sleep 1000`, apart: true},
		"it looks for the channel":                                    {script: `for n in 3 4 5 6 7; do [ -e /proc/self/fd/$n ] && echo has $n; readlink /proc/1/fd/$n; (: < /proc/1/fd/$n) 2>/dev/null && echo opens $n; done`},
		"it leaves processes that always fork":                        {script: `c() { c & exit; }; (c &); (trap '' TERM HUP; while :; do (: > late &); done) & sleep 0.1`},
		"it fills the temporary folder":                               {script: `for n in $(seq 1 100); do ln -s /etc/passwd /tmp/handin-$n; done; mkdir /tmp/index; ln -s /nowhere /tmp/result.json`},
		"it closes the temporary folder":                              {script: `chmod 0 /tmp`, apart: true},
		"it has a git of its own": {
			script: `mkdir -p "$HOME/bin"; printf '#!/bin/sh\nexit 9\n' > "$HOME/bin/git"; chmod +x "$HOME/bin/git"; command -v git | grep -c "$HOME/bin"`, says: "1",
			change: func(s *shim.Spec) {
				bin := made(filepath.Join(filepath.Dir(s.Job.Out), "home", "bin"))
				s.Env = map[string]string{"PATH": bin + ":" + os.Getenv("PATH"), "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere"}
			},
		},
		"it puts another folder in the workspace's place": {
			script: `cd /; s=$(dirname "$(dirname "$W")"); mv "$s/work" "$s/moved" && mkdir -p "$s/work/a1" && echo fake > "$s/work/a1/kept.txt" && echo moved`, says: "moved", apart: true,
			change: func(s *shim.Spec) { s.Env = map[string]string{"W": filepath.Join(state(s), "work", "a1")} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change == nil {
				c.change = func(*shim.Spec) {}
			}
			a := shimtest.New(t, sandbox.Sandbox, "echo work > kept.txt; "+c.script, c.change)
			exit := a.Run(t)
			if exit.Reason != shim.ReasonExited || apart(t, a) != c.apart && !c.either || a.BundleFile(t, exit, "kept.txt") != "work" {
				t.Errorf("apart: %v; exit is %+v, hand-in %+v", apart(t, a), exit, exit.HandIn)
			}
			if said := strings.Join(a.Said(t, "text"), " "); said != c.says {
				t.Errorf("it said %q, want %q", said, c.says)
			}
		})
	}
}

func TestAPlainUsersAgentAgainstItsHandIn(t *testing.T) {
	onlySandbox(t)
	usertest.Again(t, nil, "TestAgentAgainstItsHandIn")
}

// TestLastWordsOfAnAgentWhoseSandboxStays: the sandbox holds the agent's streams, so they have no end that could be waited for.
func TestLastWordsOfAnAgentWhoseSandboxStays(t *testing.T) {
	onlySandbox(t)
	for name, c := range map[string]struct {
		script, last string
		bytes        int64
	}{
		"a flood":                      {"head -c 3000000 /dev/zero | tr '\\0' '\\n'; echo last", "last", 3000005},
		"a pipe that is full":          {"head -c 65530 /dev/zero | tr '\\0' x; echo; printf last", "last", 65535},
		"half a line":                  {"echo first; printf half", "half", 10},
		"a child that holds its pipe":  {"(trap '' TERM; exec sleep 1000) & echo said", "said", 5},
		"a child that goes on writing": {"(trap '' TERM; sleep 0.3; while :; do echo more; sleep 1; done) & echo said", "said", 5},
	} {
		t.Run(name, func(t *testing.T) {
			a := shimtest.New(t, sandbox.Sandbox, c.script)
			exit := a.Run(t)
			said := a.Said(t, "text")
			if apart(t, a) || len(said) == 0 || said[len(said)-1] != c.last || exit.OutputBytes != c.bytes || exit.ExitCode != 0 {
				t.Errorf("apart: %v; last of %d lines %q; exit is %+v", apart(t, a), len(said), said[max(0, len(said)-1):], exit)
			}
		})
	}
}

// TestGitOfAHandInIsNotTheAgents, although the machine's PATH leads to a folder that the agent may write to.
func TestGitOfAHandInIsNotTheAgents(t *testing.T) {
	onlySandbox(t)
	for _, open := range []bool{false, true} {
		tools := t.TempDir()
		bin := maker(t)(filepath.Join(tools, "bin"))
		a := shimtest.New(t, sandbox.Sandbox, `echo work > kept.txt; printf '#!/bin/sh\nexit 9\n' > "$BIN/git"; chmod +x "$BIN/git"; command -v git`, func(s *shim.Spec) {
			s.ReadOnly, s.Writable, s.Env, s.Network.Open = []string{tools}, []string{bin}, map[string]string{"BIN": bin}, open
		})
		exit := a.Run(t, "PATH="+bin+":"+os.Getenv("PATH"))
		if apart(t, a) != open || a.BundleFile(t, exit, "kept.txt") != "work" || !slices.Equal(a.Said(t, "text"), []string{filepath.Join(bin, "git")}) {
			t.Errorf("apart: %v; it said %q; exit is %+v", apart(t, a), a.Said(t, "text"), exit)
		}
	}
}

// heldUp makes what git calls in the workspace hold the hand-in up.
const heldUp = `echo work > kept.txt; printf '#!/bin/sh\n: > waits\nuntil [ -e go ]; do sleep 0.02; done; exit 1\n' > held-up; chmod +x held-up
	git config core.fsmonitor ./held-up; git config core.fsmonitorHookVersion 2`

// TestShimThatDiesWhileItsSandboxHandsIn takes everything with it, and a salvage hands in.
func TestShimThatDiesWhileItsSandboxHandsIn(t *testing.T) {
	onlySandbox(t)
	a := shimtest.New(t, sandbox.Sandbox, heldUp)
	cmd := a.Command(t, shimtest.RoleWorker)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	shimtest.Await(t, "the hand-in", func() bool { return shimtest.Exists(t, filepath.Join(a.Workspace, "waits")) })
	if apart(t, a) {
		t.Error("another sandbox hands in")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	shimtest.Await(t, "the end of all processes", func() bool { return shimtest.ProcessesWith(t, a.Folder) == 0 })
	if err := os.Remove(filepath.Join(a.Workspace, ".git", "index.lock")); err != nil { // of the plain git that was killed
		t.Fatal(err)
	}
	shimtest.Write(t, filepath.Join(a.Workspace, "go"), "")
	if out, err := a.Command(t, shimtest.RoleSalvage).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if exit := a.Exit(t); exit.Reason != shim.ReasonLost || a.BundleFile(t, exit, "kept.txt") != "work" {
		t.Errorf("exit is %+v", exit)
	}
}

// TestHandInThatTakesTooLong is ended with the agent's sandbox, and then with its own.
func TestHandInThatTakesTooLong(t *testing.T) {
	onlySandbox(t)
	unlocked := strings.Replace(heldUp, ": > waits", "rm .git/index.lock; : > waits", 1) // which the git that is killed would leave
	a := shimtest.New(t, sandbox.Sandbox, unlocked, func(s *shim.Spec) {
		s.HandInTimeout, s.Grace = shim.Duration(500*time.Millisecond), shim.Duration(10*time.Millisecond)
	})
	exit := a.Run(t)
	if exit.HandIn == nil || !strings.Contains(exit.HandIn.Error, "timeout with code") || !apart(t, a) || exit.Reason != shim.ReasonExited {
		t.Errorf("apart: %v; exit is %+v, hand-in %+v", apart(t, a), exit, exit.HandIn)
	}
	if shimtest.ProcessesWith(t, a.Folder) > 0 {
		t.Error("something was left running")
	}
}

// TestUsageOfAnAgentWhoseSandboxStays is known although no process of this one has ended.
func TestUsageOfAnAgentWhoseSandboxStays(t *testing.T) {
	onlySandbox(t)
	a := shimtest.New(t, sandbox.Sandbox, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", bounded(t, resource.Limits{Processes: 500}))
	exit := a.Run(t)
	if took := exit.Resources; apart(t, a) || took == nil || took.CPUSeconds < 0.02 || took.PeakMemory < 1<<19 {
		t.Errorf("apart: %v; it took %s", apart(t, a), fmt.Sprintf("%+v", took))
	}
	if entries, err := os.ReadDir(a.Folder); err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "tmp" }) {
		t.Errorf("left are %v, %v", entries, err)
	}
}
