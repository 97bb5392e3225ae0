package yard

import (
	"context"
	"fmt"
	"strings"
)

// CheckedOut is the work tree in which a repository on this machine has a branch checked out, "" where none has. It only
// reads.
func CheckedOut(ctx context.Context, address, branch string) (string, error) {
	r, err := parseRemote(address)
	if err != nil || r.local == "" {
		return "", err
	}
	out, err := personGit(r.local).run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", fmt.Errorf("list the work trees of %s: %w", r.local, err)
	}
	tree := ""
	for field := range records(out) {
		if path, ok := strings.CutPrefix(field, "worktree "); ok {
			tree = path
		}
		if field == "branch refs/heads/"+branch {
			return tree, nil
		}
	}
	return "", nil
}
