package yard

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// AddedOptions choose what is printed of a range of commits.
type AddedOptions struct {
	// History prints each commit by itself, with a header in this --format; without it, the difference as a whole.
	History  string
	MaxBytes int64
}

// Added writes what the commits from base to head add and remove, as a patch without context that treats every file as
// text. It reports whether the patch was cut: at MaxBytes, or because git would need more memory than it may have.
func (y *Yard) Added(ctx context.Context, w io.Writer, base, head string, o AddedOptions) (truncated bool, err error) {
	args := []string{"-p", "--text", "-U0", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"}
	command, err := diffTreeArgs(base, head, args, nil)
	if err != nil {
		return false, err
	}
	if o.History != "" {
		// A merge is compared with its first parent only: the commits of the other side are listed themselves.
		command = append([]string{"log", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=" + o.History}, args...)
		command = append(command, head, "^"+base, "--")
	}
	if truncated, err = y.bounded(ctx, nil, w, o.MaxBytes, command...); err != nil {
		return false, fmt.Errorf("read what is new from %s to %s: %w", base, head, err)
	}
	return truncated, nil
}

// bounded runs a git command on something that an agent made. It reports whether the output was cut: at maxBytes, or because
// git would need more memory than it may have.
func (y *Yard) bounded(ctx context.Context, in io.Reader, w io.Writer, maxBytes int64, command ...string) (truncated bool, err error) {
	limited := &limitedWriter{w: w, left: maxBytes}
	g := y.git()
	g.memory = y.memory
	err = g.stream(ctx, in, limited, command...)
	if (limited.exceeded || outOfMemory(err)) && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// AddedCommits writes the commits from base to head as `git cat-file --batch` prints them. Like Added, it reports whether the
// output was cut.
func (y *Yard) AddedCommits(ctx context.Context, w io.Writer, base, head string, maxBytes int64) (truncated bool, err error) {
	if err := checkRev(base, head); err != nil {
		return false, err
	}
	var commits bytes.Buffer
	if truncated, err = y.bounded(ctx, nil, &commits, maxOutput, "rev-list", head, "^"+base, "--"); err != nil {
		return false, fmt.Errorf("list the commits from %s to %s: %w", base, head, err)
	}
	cut, err := y.bounded(ctx, &commits, w, maxBytes, "cat-file", "--batch", "--buffer")
	if err != nil {
		return false, fmt.Errorf("read the commits from %s to %s: %w", base, head, err)
	}
	return truncated || cut, nil
}
