package shimtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// QuickExit is a variable that spares a program with the race detector its second of waiting at the end.
const QuickExit = "GORACE=atexit_sleep_ms=0"

// Attempt is a state folder with one attempt in it that is ready to start.
type Attempt struct {
	State, Folder, Workspace string
	Spec                     shim.Spec
}

// Kinds are the isolations this machine can provide. A missing one is a test that was skipped.
func Kinds(t *testing.T) []sandbox.Kind {
	t.Helper()
	kind, reason := sandbox.Detect(t.Context())
	if kind == sandbox.None {
		t.Run(string(sandbox.Sandbox), func(t *testing.T) { tooltest.Unisolated(t, reason) })
		return []sandbox.Kind{sandbox.None}
	}
	return []sandbox.Kind{sandbox.None, sandbox.Sandbox}
}

// What an engine looks for once and hands to every attempt.
var (
	private    = sync.OnceValue(sandbox.Private)
	bubblewrap = sync.OnceValue(sandbox.FindBubblewrap)
)

// New makes an attempt at running a shell script in a git workspace with one commit.
func New(t testing.TB, kind sandbox.Kind, script string, changes ...func(*shim.Spec)) Attempt {
	t.Helper()
	state := t.TempDir()
	a := Attempt{State: state, Folder: filepath.Join(state, "attempts", "a1"), Workspace: filepath.Join(state, "work", "a1")}
	in := filepath.Join(a.Folder, "in")
	for _, dir := range []string{in, a.Workspace} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	Write(t, filepath.Join(state, "stellwerk.db"), "state")
	Write(t, filepath.Join(in, "plan.md"), "the plan")
	Write(t, filepath.Join(a.Folder, "prompt.md"), "the prompt\n")
	Write(t, filepath.Join(a.Workspace, "README"), "hello\n")
	a.Git(t, "init", "--quiet")
	a.Git(t, "add", "--all")
	a.Git(t, "commit", "--quiet", "--message", "base")
	a.Spec = shim.Spec{
		Project: "p1", Run: "r1", Task: "t1", Attempt: "a1", Agent: "script",
		Job: agent.Job{
			Dir: a.Workspace, Prompt: filepath.Join(a.Folder, "prompt.md"), In: in,
			Out: filepath.Join(a.Folder, "out"), Command: []string{"/bin/sh", "-c", script},
		},
		Base: a.Git(t, "rev-parse", "HEAD"), Branch: "feature/x", Writes: core.WritesCode, CommitMessage: "wip(#1/x): checkpoint",
		Identity:  core.Identity{Name: "Stellwerk", Email: "stellwerk@example.invalid"},
		Isolation: kind, Timeout: shim.Duration(waittest.Limit), Grace: shim.Duration(waittest.Limit),
		Masked: []string{state}, Private: private(), Bubblewrap: bubblewrap(),
	}
	for _, change := range changes {
		change(&a.Spec)
	}
	if err := shim.WriteSpec(a.Folder, a.Spec); err != nil {
		t.Fatal(err)
	}
	return a
}

// Git runs git in the workspace.
func (a Attempt) Git(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", a.Workspace}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Command is this test binary in one of its roles, for this attempt.
func (a Attempt) Command(t testing.TB, role string, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, role, a.Folder)
	cmd.Env = append(shim.HostEnvironment(os.Environ()), append(env, QuickExit)...)
	return cmd
}

// Run runs the attempt to its end.
func (a Attempt) Run(t testing.TB, env ...string) shim.Exit {
	t.Helper()
	if out, err := a.Command(t, RoleWorker, env...).CombinedOutput(); err != nil {
		t.Fatalf("worker: %v: %s", err, out)
	}
	return a.Exit(t)
}

// Cancel runs the attempt until its agent has written ready into its output folder, and cancels it then.
func (a Attempt) Cancel(t testing.TB) shim.Exit {
	t.Helper()
	cmd := a.Command(t, RoleWorker)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.AwaitOutput(t, "ready")
	if err := shim.Cancel(a.Folder); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return a.Exit(t)
}

// Exit reads exit.json.
func (a Attempt) Exit(t testing.TB) shim.Exit {
	t.Helper()
	exit, err := shim.ReadExit(a.Folder)
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

// Said is the text of the transcript's records of one kind.
func (a Attempt) Said(t testing.TB, kind agent.RecordKind) []string {
	t.Helper()
	entries, err := shim.Tail(a.Folder, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		if entry.Record.Kind == kind {
			out = append(out, entry.Record.Text)
		}
	}
	return out
}

// AwaitOutput waits until the agent has written a file into its output folder.
func (a Attempt) AwaitOutput(t testing.TB, name string) {
	t.Helper()
	Await(t, name+" in the output folder", func() bool {
		_, err := os.Stat(filepath.Join(a.Spec.Job.Out, name))
		return err == nil
	})
}

// BundleFile returns a file's content at the commit that was handed in.
func (a Attempt) BundleFile(t testing.TB, exit shim.Exit, name string) string {
	t.Helper()
	if exit.HandIn == nil || exit.HandIn.Error != "" || exit.HandIn.Bundle == "" {
		t.Fatalf("nothing was handed in: %+v", exit.HandIn)
	}
	a.Git(t, "fetch", "--quiet", filepath.Join(a.Folder, exit.HandIn.Bundle), "HEAD")
	return a.Git(t, "show", exit.HandIn.Commit+":"+name)
}

// Await polls for a condition that gives no signal.
func Await(t testing.TB, what string, condition func() bool) {
	t.Helper()
	if !waittest.Until(condition) {
		t.Fatalf("waited in vain for %s", what)
	}
}

// ProcessesWith counts living processes that have text in their command line.
func ProcessesWith(t testing.TB, text string) int {
	t.Helper()
	out, err := exec.Command("ps", "-axo", "state=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, text) && !strings.HasPrefix(line, "Z") {
			n++
		}
	}
	return n
}

// Write makes a file.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Exists tells whether there is anything at path.
func Exists(t testing.TB, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
