package yard

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// handInHelper names the variable that turns the test binary into a process that hands in, so that a
// test can do it without root's rights.
const handInHelper = "YARD_TEST_HANDIN"

func TestMain(m *testing.M) {
	if spec := os.Getenv(handInHelper); spec != "" {
		os.Exit(handInAsHelper(spec))
	}
	home, err := os.MkdirTemp("", "yard-home-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}

func handInAsHelper(encoded string) int {
	var spec HandInSpec
	err := json.Unmarshal([]byte(encoded), &spec)
	var result HandedIn
	if err == nil {
		result, err = HandIn(context.Background(), spec)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func testIdentity() Identity { return Identity{Name: "Ada Agent", Email: "ada@example.org"} }

// ctx ends with the test, and with a test that hangs.
func ctx(t testing.TB) context.Context {
	t.Helper()
	c, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	t.Cleanup(cancel)
	return c
}

// sh runs a script as a person or an agent would, with git set up for committing, and returns its trimmed output.
func sh(t testing.TB, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx(t), "bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"GIT_AUTHOR_NAME=Pat Person", "GIT_AUTHOR_EMAIL=pat@example.org",
		"GIT_COMMITTER_NAME=Pat Person", "GIT_COMMITTER_EMAIL=pat@example.org",
		"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
		"GIT_CONFIG_KEY_2=advice.detachedHead", "GIT_CONFIG_VALUE_2=false")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("script failed: %v\n%s\n%s", err, script, out)
	}
	return strings.TrimSpace(string(out))
}

// folder is a temporary folder whose path has no symlinks.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// person makes a repository with two commits on main and returns its folder.
func person(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(folder(t), "person")
	must(t, os.Mkdir(dir, 0o755))
	sh(t, dir, `git init -q
		mkdir src && echo one > src/a.txt && echo hello > README.md && printf '*.log\n' > .gitignore
		git add . && git commit -qm first
		echo two >> src/a.txt && git commit -qam second`)
	return dir
}

func openYard(t testing.TB) *Yard {
	t.Helper()
	y, err := Open(ctx(t), filepath.Join(folder(t), "yard.git"))
	must(t, err)
	t.Cleanup(func() { must(t, y.Close()) })
	return y
}

// fixture is a person's repository, a yard that fetched it, and the commit of main.
type fixture struct {
	person, base string
	yard         *Yard
}

func newFixture(t testing.TB) fixture {
	t.Helper()
	f := fixture{person: person(t), yard: openYard(t)}
	must(t, f.yard.Fetch(ctx(t), f.person))
	base, err := f.yard.Resolve(ctx(t), UpstreamHeads+"main")
	must(t, err)
	f.base = base
	return f
}

// commit makes a commit on a new branch of the person's repository, without touching its work tree's branch, and fetches it.
func (f fixture) commit(t testing.TB, branch, script string) string {
	t.Helper()
	tree := filepath.Join(folder(t), "tree")
	hash := sh(t, f.person, fmt.Sprintf("git worktree add -q -b %s %s main; cd %s; %s; git add -A; git commit -qm %s; git rev-parse HEAD; git worktree remove -f %s",
		branch, tree, tree, script, branch, tree))
	must(t, f.yard.Fetch(ctx(t), f.person))
	return hash
}
