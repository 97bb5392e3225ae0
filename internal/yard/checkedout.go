package yard

import (
	"context"
	"fmt"
	"strings"
)

// CheckedOut finds the work tree in which a repository on this machine has a branch checked out, and the work tree that the
// repository was created with; "" stands for none. It only reads.
func CheckedOut(ctx context.Context, address, branch string) (tree, first string, err error) {
	r, err := parseRemote(address)
	if err != nil || r.local == "" {
		return "", "", err
	}
	out, err := personGit(r.local).run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", "", fmt.Errorf("list the work trees of %s: %w", r.local, err)
	}
	at, n := "", 0
	for field := range records(out) {
		path, another := strings.CutPrefix(field, "worktree ")
		switch {
		case another && n == 0:
			at, first, n = path, path, 1
		case another:
			at, n = path, n+1
		case n == 1 && field == "bare":
			first = ""
		case field == "branch refs/heads/"+branch:
			tree = at
		}
	}
	return tree, first, nil
}
