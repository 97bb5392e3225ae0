package pushlock_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/pushlock"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// world is a remote, a clone of it that is one commit ahead, a person's home, and an environment without anything else.
type world struct {
	root string
	env  []string
}

func newWorld(t *testing.T) world {
	t.Helper()
	root := t.TempDir()
	w := world{root: root, env: []string{
		"PATH=" + filepath.Join(root, "bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + filepath.Join(root, "home"), "LANG=C",
	}}
	for _, folder := range []string{"bin", "home", "work"} {
		must(t, os.Mkdir(filepath.Join(root, folder), 0o700))
	}
	w.write(t, "home/.gitconfig", "[user]\n\tname = Person\n\temail = person@example.test\n[init]\n\tdefaultBranch = main\n", 0o600)
	w.must(t, `git init -q && echo a > a && git add a && git commit -qm a && git init -q --bare ../remote.git &&
		git remote add origin ../remote.git && git push -q -u origin main && echo b >> a && git commit -qam b`)
	return w
}

func (w world) work() string { return filepath.Join(w.root, "work") }

func (w world) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(w.root, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), mode))
}

// sh runs lines in the clone and returns all they print.
func (w world) sh(t *testing.T, lines string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", lines)
	cmd.Dir, cmd.Env = w.work(), w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w world) must(t *testing.T, lines string) string {
	t.Helper()
	out, err := w.sh(t, lines)
	if err != nil {
		t.Fatalf("%s: %v\n%s", lines, err, out)
	}
	return out
}

// refs are those of the remote.
func (w world) refs(t *testing.T) string {
	t.Helper()
	return w.must(t, "git --git-dir=../remote.git for-each-ref")
}

// held runs lines that try to push, and checks that nothing arrives and that one line of Stellwerk's says why.
func (w world) held(t *testing.T, lines string) {
	t.Helper()
	before := w.refs(t)
	out, err := w.sh(t, lines)
	if after := w.refs(t); after != before {
		t.Errorf("%s pushes:\n%s", lines, out)
	}
	if err == nil {
		t.Errorf("%s ends as if it had pushed:\n%s", lines, out)
	}
	if strings.Count(out, "stellwerk") == 0 {
		t.Errorf("%s is refused without a word of Stellwerk's:\n%s", lines, out)
	}
}

// locked is the world with the lock's environment.
func (w world) locked(t *testing.T) world {
	t.Helper()
	lock, err := pushlock.Write(t.Context(), filepath.Join(w.root, "the lock"))
	must(t, err)
	w.env = w.environment(t, "sh", lock.Script())
	return w
}

// environment is what a shell hands on after it has run a script.
func (w world) environment(t *testing.T, shell, script string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell, "-c", script+"env -0")
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	must(t, err)
	env := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "PWD" || name == "OLDPWD" || name == "SHLVL" || name == "_"
	})
	slices.Sort(env)
	return env
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
