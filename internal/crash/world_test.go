package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
)

// world is a state folder, a person's repository and a record of everything
// that engines on them acknowledged.
type world struct {
	t         *testing.T
	story     story
	isolation string

	root, state, repository, ledger, log string

	// shared is where the engines of a team keep store and objects, and url how they reach the repository; empty for one engine.
	shared  place
	url     string
	heard   map[string]bool // events of a team's engines, by run and number
	hosts   int             // that burnt
	dial    func(context.Context) (api.Service, func() error, error)
	more    []string   // environment of engines
	workers string     // URL at which workers find an engine
	moved   sync.Mutex // held while state becomes that of another host

	wedge string // folder of a program that engines take for git; empty for none

	person *person                     // who looks on from another process; nil for nobody
	acks   map[string]map[int64]string // run, sequence number, hash
	lives  int
	kills  int
	events int
	runs   int
}

func newWorld(t *testing.T, isolation string, tell func(ledger string) story) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, isolation: isolation, root: root, state: filepath.Join(root, "state"), repository: filepath.Join(root, "repository"),
		log: filepath.Join(root, "engine.log"), acks: map[string]map[int64]string{},
	}
	w.dial = func(ctx context.Context) (api.Service, func() error, error) {
		return app.Dial(ctx, app.Options{State: w.host()})
	}
	if isolation == "none" {
		w.ledger = filepath.Join(root, "ledger")
	}
	w.story = tell(w.ledger)
	for name, content := range map[string]string{
		"README.md": "a repository\n", "scenario.yaml": w.story.scenario, ".stellwerk/playbooks/" + w.story.name + ".yaml": w.story.playbook,
	} {
		write(t, filepath.Join(w.repository, name), content)
	}
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "Test")
	w.git("config", "user.email", "test@example.org")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	if w.story.apart() {
		w.person = newPerson(w)
	}
	t.Cleanup(w.close)
	return w
}

// close shows the engines' last words of a test that failed, and sees that no
// process is left behind in any case.
func (w *world) close() {
	for _, pid := range w.processes() {
		w.t.Errorf("process %d is left: %s", pid, commandOf(pid))
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
	if w.t.Failed() {
		w.t.Log(w.account())
		w.t.Log(w.person)
		log, err := os.ReadFile(w.log)
		w.t.Logf("the engines' log (%v):\n%s", err, log[max(0, len(log)-16<<10):])
	}
}

// order is for runs of the world's story.
func (w *world) order(branches ...string) order {
	return order{
		State: w.state, Repository: w.repository, Playbook: w.story.name, Isolation: w.isolation, Branches: branches,
		Gates: w.story.project, Apart: w.story.apart(), Wedge: w.wedge, Shared: w.shared, URL: w.url, Lease: teamLease, Workers: w.workers,
	}
}

// host is the state folder of the engine that people speak to.
func (w *world) host() string {
	w.moved.Lock()
	defer w.moved.Unlock()
	return w.state
}

// command is an engine process, its words going to the returned pipe and its
// log to the world's.
func (w *world) command(o order) (*exec.Cmd, *os.File) {
	w.t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		w.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	log, err := os.OpenFile(w.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	words, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self, roleEngine, string(text))
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.root, out, log
	cmd.Env = append(os.Environ(), "HOME="+w.root, "XDG_CONFIG_HOME="+filepath.Join(w.root, "config"), "GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.org", "STELLWERK_FORGE_POLL=1s")
	cmd.Env = append(cmd.Env, w.more...)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for _, f := range []*os.File{log, out} {
		if err := f.Close(); err != nil {
			w.t.Fatal(err)
		}
	}
	w.lives++
	return cmd, words
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	return w.gitIn(w.repository, args...)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	out, err := git(dir, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// takeIn is a person merging a pull request. What it changes is set aside, so
// that every run begins with the same files.
func (w *world) takeIn(branch string) error {
	tip, err := git(w.repository, "rev-parse", "main")
	if err != nil {
		return err
	}
	if _, err := git(w.repository, "merge-base", "--is-ancestor", branch, tip); err == nil {
		return nil
	}
	commit, err := git(w.repository, "commit-tree", "-p", tip, "-p", branch, "-m", "Take in "+branch, tip+"^{tree}")
	if err != nil {
		return err
	}
	_, err = git(w.repository, "update-ref", "refs/heads/main", commit, tip)
	return err
}

func write(t *testing.T, path, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
