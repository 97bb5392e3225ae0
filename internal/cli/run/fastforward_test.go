package run_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// checkout is a repository with main checked out, and a commit that main can be
// brought to.
func checkout(t *testing.T) (tree, tip, commit string) {
	t.Helper()
	tree = t.TempDir()
	inTree(t, tree, "init", "-q", "-b", "main")
	inTree(t, tree, "commit", "-q", "--allow-empty", "-m", "first")
	tip = inTree(t, tree, "rev-parse", "HEAD")
	commit = inTree(t, tree, "commit-tree", "-p", tip, "-m", "second", "HEAD^{tree}")
	return tree, tip, commit
}

func inTree(t *testing.T, tree string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", tree, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", args[0], err)
	}
	return strings.TrimSpace(string(out))
}

// TestFastForwardMovesTheBaseAlone: a work tree that has switched meanwhile is left
// as it is, and nothing is on record where that was so before the word was given.
func TestFastForwardMovesTheBaseAlone(t *testing.T) {
	away := func(t *testing.T, tree string) { t.Helper(); inTree(t, tree, "switch", "-q", "-c", "mine") }
	loose := func(t *testing.T, tree string) { t.Helper(); inTree(t, tree, "checkout", "-q", "--detach") }
	for name, c := range map[string]struct {
		before, during func(*testing.T, string)
		code           int
		asked          []string
	}{
		"as it was shown":        {asked: []string{"merge", "merge"}},
		"on another branch":      {before: away, code: shell.ExitError},
		"on none":                {before: loose, code: shell.ExitError},
		"switched in the moment": {during: away, code: shell.ExitError, asked: []string{"merge"}},
	} {
		t.Run(name, func(t *testing.T) {
			tree, tip, commit := checkout(t)
			if c.before != nil {
				c.before(t, tree)
			}
			b := clitest.New(t)
			b.Put("1", "completed")
			b.Svc.MergeAnswer = api.Mergeable{Commit: commit, Branch: "feature/x", Base: "main", Tip: tip, Tree: tree, Reason: "main is checked out", Command: "git merge"}
			b.Svc.On = func(apitest.Call) error {
				if c.during != nil {
					c.during(t, tree)
				}
				return nil
			}
			b.Run(t, c.code, "merge", "alias-1", "--fast-forward")
			b.Asked(t, c.asked...)
			want := tip
			if c.code == shell.ExitOK {
				want = commit
			} else {
				b.Said(t, b.Err, "main is no longer checked out in "+tree+"; nothing was merged")
			}
			if at := inTree(t, tree, "rev-parse", "HEAD"); at != want {
				t.Errorf("the work tree is at %s, not %s", at, want)
			}
			if at := inTree(t, tree, "rev-parse", "main"); at != want {
				t.Errorf("main is at %s, not %s", at, want)
			}
		})
	}
}
