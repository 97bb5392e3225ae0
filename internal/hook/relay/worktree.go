package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// The plugin's WorktreeCreate hook is asked for every worktree, also for those
// that have nothing to do with a run. Those are made as the client makes its own:
// below .claude/worktrees of the repository, on a new branch.

const worktreesDir = ".claude/worktrees"

// createWorktree makes a worktree that belongs to no run, or finds it if it exists.
func (c call) createWorktree(ctx context.Context) (reply, error) {
	name := strings.ReplaceAll(c.in.Name, "/", "+")
	if name == "" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return reply{}, fmt.Errorf("%q cannot be the name of a worktree", c.in.Name)
	}
	root, err := c.git(ctx, c.in.Dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return reply{}, fmt.Errorf("a worktree needs a git repository, and %s is in none: %w", c.in.Dir, err)
	}
	root = filepath.Dir(root)
	dir := filepath.Join(root, worktreesDir, name)
	if err := plainFolders(root, dir); err != nil {
		return reply{}, err
	}
	if top, err := c.git(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && top == dir {
		return reply{text: dir}, nil
	}
	branch := "worktree-" + name
	args := []string{"worktree", "add", "-b", branch, dir, c.startPoint(ctx, root)}
	if _, err := c.git(ctx, root, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		args = []string{"worktree", "add", dir, branch}
	}
	if _, err := c.git(ctx, root, args...); err != nil {
		return reply{}, err
	}
	return reply{text: dir}, nil
}

// startPoint is where a new worktree begins: at the remote's main branch, or at HEAD
// if there is none or the person's settings say so.
func (c call) startPoint(ctx context.Context, root string) string {
	if c.baseRef(root) == "head" {
		return "HEAD"
	}
	if _, err := c.git(ctx, root, "rev-parse", "--verify", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
		return "refs/remotes/origin/HEAD"
	}
	return "HEAD"
}

// baseRef is the client's setting worktree.baseRef, of the first file that has it.
func (c call) baseRef(root string) string {
	home := c.Env("CLAUDE_CONFIG_DIR")
	if home == "" {
		home = filepath.Join(c.Env("HOME"), ".claude")
	}
	for _, file := range []string{
		filepath.Join(root, ".claude", "settings.local.json"), filepath.Join(root, ".claude", "settings.json"), filepath.Join(home, "settings.json"),
	} {
		var settings struct {
			Worktree struct {
				BaseRef string `json:"baseRef"`
			} `json:"worktree"`
		}
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &settings) != nil {
			continue // the client tells the person about its own settings
		}
		if settings.Worktree.BaseRef != "" {
			return settings.Worktree.BaseRef
		}
	}
	return ""
}

// plainFolders refuses links between the repository and a worktree: a committed
// one could lead the worktree anywhere.
func plainFolders(root, dir string) error {
	for at := dir; at != root && at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err == nil && info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link; remove it and try again", at)
		}
	}
	return nil
}

// removeWorktree removes a worktree that createWorktree made, and no other folder.
func (c call) removeWorktree(ctx context.Context) error {
	dir := filepath.Clean(c.in.Worktree)
	if !strings.HasSuffix(filepath.Dir(dir), string(filepath.Separator)+filepath.FromSlash(worktreesDir)) {
		return nil
	}
	root := strings.TrimSuffix(filepath.Dir(dir), string(filepath.Separator)+filepath.FromSlash(worktreesDir))
	list, err := c.git(ctx, root, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(list, "\n") {
		if line == "worktree "+dir {
			_, err := c.git(ctx, root, "worktree", "remove", "--force", dir)
			return err
		}
	}
	return nil
}

// git runs in the person's own repository, with their own configuration: it is their
// worktree.
func (c call) git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(plain.ClipBytes(errs.String(), 500))), err)
	}
	return strings.TrimSpace(out.String()), nil
}
