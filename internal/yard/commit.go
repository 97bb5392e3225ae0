package yard

import (
	"context"
	"fmt"
	"time"
)

// commitTree makes a commit without a work tree.
func (g git) commitTree(ctx context.Context, tree, message string, by Identity, when time.Time, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	out, err := g.with(by.env(when)...).feed(ctx, []byte(message+"\n"), args...)
	if err != nil {
		return "", fmt.Errorf("commit tree %s: %w", tree, err)
	}
	if len(out) < 40 {
		return "", fmt.Errorf("commit tree %s: unexpected output %q", tree, out)
	}
	return string(out[:len(out)-1]), nil
}
