package browser

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// engine is a machine of its own with an engine that serves the cockpit.
type engine struct {
	t    *testing.T
	dir  string
	env  []string
	URL  string
	stop func() // ends the engine and waits for it
	kill func() // gives it no time to end
}

// newEngine makes the machine and starts the engine on a port that is free.
func newEngine(t *testing.T) *engine {
	t.Helper()
	e := newMachine(t)
	e.start("127.0.0.1:0")
	return e
}

// newMachine makes a machine without an engine.
func newMachine(t *testing.T) *engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "station")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	e := &engine{t: t, dir: dir, stop: func() {}}
	home := dir // pages show what is in it without its own name, and so do pictures of them
	e.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.local/state", "XDG_CONFIG_HOME=" + home + "/.config",
		"XDG_CACHE_HOME=" + home + "/.cache", "STELLWERK_STATE=" + e.state(), "STELLWERK_NOTIFY=off", "GIT_CONFIG_NOSYSTEM=1",
		"LANG=C.UTF-8", "TZ=UTC", "TMPDIR=" + t.TempDir(),
	}
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		if err := tooltest.Isolated(t.Context(), reason); err != nil {
			t.Fatal(err)
		}
		t.Logf("without a sandbox (%s) the agents run unenforced", reason)
		e.env = append(e.env, "STELLWERK_ISOLATION=none")
	}
	t.Cleanup(e.end)
	return e
}

// state is where the engine keeps what it knows.
func (e *engine) state() string { return e.path(".local", "state", "stellwerk") }

// path is a place in the home of who has the machine.
func (e *engine) path(elements ...string) string {
	return filepath.Join(append([]string{e.dir}, elements...)...)
}

// start runs the engine until stop. What it logs is shown where the test fails.
func (e *engine) start(listen string, flags ...string) {
	e.t.Helper()
	cmd := exec.Command("stellwerk", append([]string{"serve", "--listen", listen}, flags...)...)
	cmd.Env, cmd.Dir = e.env, e.dir
	log := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		e.t.Fatal("start the engine:", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	by := func(signal syscall.Signal) func() {
		return func() {
			e.stop, e.kill = func() {}, func() {}
			_ = cmd.Process.Signal(signal) // it may have ended by itself
			<-ended
			e.t.Cleanup(func() {
				if e.t.Failed() {
					e.t.Logf("the engine:\n%s", regexp.MustCompile(`(?m)^.* msg=event .*\n`).ReplaceAllString(log.String(), ""))
				}
			})
		}
	}
	e.stop, e.kill = by(syscall.SIGTERM), by(syscall.SIGKILL)
	if !waittest.Until(func() bool {
		url, err := os.ReadFile(filepath.Join(e.state(), "network.url"))
		e.URL = strings.TrimSpace(string(url))
		return err == nil && e.URL != ""
	}) {
		e.t.Fatalf("the engine does not listen:\n%s", log)
	}
}

// restart ends the engine and starts it at the same address; meanwhile is what
// happens in between.
func (e *engine) restart(meanwhile func()) {
	e.t.Helper()
	e.stop()
	meanwhile()
	e.start(strings.TrimPrefix(e.URL, "http://"))
}

// run is a command in a folder of the machine; it must end with one of the codes.
func (e *engine) run(folder string, codes []int, args ...string) string {
	e.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Dir = e.env, e.path(folder)
	out, err := cmd.CombinedOutput()
	for _, code := range codes {
		if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == code {
			return string(out)
		}
	}
	e.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	return ""
}

// cli is a command of the program that must succeed or need a person.
func (e *engine) cli(folder string, args ...string) string {
	e.t.Helper()
	return e.run(folder, []int{0, 3}, append([]string{"stellwerk"}, args...)...)
}

// repository writes an archive of testdata as a git repository whose main branch
// nobody has checked out, and returns its path.
func (e *engine) repository(name string) string {
	e.t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		e.t.Fatal(err)
	}
	for _, f := range archive.Files {
		path := e.path(name, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			e.t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			e.t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch", "main"}, {"config", "user.name", "Ada Example"}, {"config", "user.email", "ada@example.org"},
		{"add", "--all"}, {"commit", "--quiet", "--message", "Begin"}, {"checkout", "--quiet", "-b", "desk"},
	} {
		e.run(name, []int{0}, append([]string{"git"}, args...)...)
	}
	return e.path(name)
}

// link is a fresh one-time link, and code the code in it.
func (e *engine) link() (link, code string) {
	e.t.Helper()
	link, _, _ = strings.Cut(e.cli(".", "cockpit"), "\n")
	_, code, found := strings.Cut(link, "#")
	if !found {
		e.t.Fatalf("no code in the link %q", link)
	}
	return link, code
}

// atWork waits until an agent on the machine waits for the file go, and returns what makes it go on.
func (e *engine) atWork(p *person) (release func()) {
	e.t.Helper()
	folder := ""
	if !p.until(func() bool {
		_ = filepath.WalkDir(e.state(), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "ready" { // a folder may go while it is looked at
				folder = filepath.Dir(path)
			}
			return nil
		})
		return folder != ""
	}) {
		e.t.Fatal("no agent is at work")
	}
	return func() {
		if err := os.WriteFile(filepath.Join(folder, "go"), nil, 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
}

// end leaves nothing behind: whatever names the machine's folder in its command
// line or environment is a process of this test.
func (e *engine) end() {
	e.stop()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return // no such folder on this system: nothing can be said
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // it may end while it is looked at
		environ, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if bytes.Contains(append(cmdline, environ...), []byte(e.dir+"/")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
