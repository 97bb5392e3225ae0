package run

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// mayForward asks whether to fast-forward a checked-out base with its files, unless
// the person said so with the command.
func mayForward(ctx context.Context, sh *shell.Shell, m api.Mergeable, said bool) (bool, error) {
	switch {
	case sh.Server != "" && said:
		return false, core.Errorf(core.CodeUnsupported, "%s is checked out on the engine's machine; fast-forward it there", m.Base).
			WithHint("there: `%s`", m.Command)
	case said || sh.Server != "" || !sh.Console.Ask || sh.JSON:
		return said, nil
	}
	return sh.Confirm(ctx, fmt.Sprintf("%s is checked out in %s. Fast-forward it there, with its files?", m.Base, m.Tree))
}

// fastForward moves a checked-out base to the commit, with the person's own git and
// configuration. The engine records their word before anything moves. git itself
// refuses to overwrite files, and to go anywhere but forward.
func fastForward(ctx context.Context, svc api.Service, id string, m api.Mergeable) error {
	if err := onBase(ctx, m); err != nil {
		return err
	}
	changes, err := gitIn(ctx, m.Tree, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changes != "" {
		return core.Errorf(core.CodeConflict, "%s has uncommitted changes; nothing was merged", m.Tree).
			WithHint("commit or stash them, then merge again")
	}
	if _, err := svc.Merge(ctx, id, api.Merge{Commit: m.Commit, Tip: m.Tip, FastForward: true}); err != nil {
		return err
	}
	if err := onBase(ctx, m); err != nil { // the word took a moment
		return err
	}
	_, err = gitIn(ctx, m.Tree, "merge", "--quiet", "--ff-only", m.Commit)
	return err
}

// onBase refuses a work tree that has switched to another branch: git would move
// that one.
func onBase(ctx context.Context, m api.Mergeable) error {
	at, err := gitIn(ctx, m.Tree, "rev-parse", "--symbolic-full-name", "HEAD")
	if err == nil && at != "refs/heads/"+m.Base {
		err = core.Errorf(core.CodeConflict, "%s is no longer checked out in %s; nothing was merged", m.Base, m.Tree).WithHint("merge again")
	}
	return err
}

// gitIn runs the person's git in their work tree.
func gitIn(ctx context.Context, tree string, args ...string) (string, error) {
	var stderr strings.Builder
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", tree}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", core.Wrap(core.CodeConflict, err, fmt.Sprintf("git %s in %s: %s", args[0], tree, strings.TrimSpace(stderr.String())),
			"fix that, then merge again")
	}
	return strings.TrimSpace(string(out)), nil
}
