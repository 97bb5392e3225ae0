package yard

import (
	"context"
	"fmt"
	"time"
)

// MergeSpec says what is merged into what. Equal specs give equal commits if When is set.
type MergeSpec struct {
	Ours, Theirs string // commits
	Message      string
	Identity     Identity
	When         time.Time // the commit's date; zero means now
	FastForward  bool      // take Theirs itself where Ours is contained in it
}

// Merged is the outcome: a commit, or the paths in conflict. No ref was moved either way.
type Merged struct {
	Commit    string
	Tree      string
	Conflicts []string
}

// Merge merges two commits without a work tree. Where Theirs is contained in Ours already, the result is Ours.
func (y *Yard) Merge(ctx context.Context, spec MergeSpec) (Merged, error) {
	ours, theirs, err := y.mergeSides(ctx, spec)
	if err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	base, err := y.MergeBase(ctx, ours, theirs)
	if err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	if base == theirs {
		return y.mergedAs(ctx, ours)
	}
	if base == ours && spec.FastForward {
		return y.mergedAs(ctx, theirs)
	}
	tree, conflicts, err := y.mergeTree(ctx, ours, theirs)
	if err != nil || len(conflicts) > 0 {
		return Merged{Conflicts: conflicts}, err
	}
	commit, err := y.git().commitTree(ctx, tree, spec.Message, spec.Identity, spec.When, ours, theirs)
	if err != nil {
		return Merged{}, fmt.Errorf("merge: %w", err)
	}
	return Merged{Commit: commit, Tree: tree}, nil
}

func (y *Yard) mergeSides(ctx context.Context, spec MergeSpec) (ours, theirs string, err error) {
	if err := spec.Identity.check(); err != nil {
		return "", "", err
	}
	if ours, err = y.Resolve(ctx, spec.Ours); err != nil {
		return "", "", err
	}
	theirs, err = y.Resolve(ctx, spec.Theirs)
	return ours, theirs, err
}

func (y *Yard) mergedAs(ctx context.Context, commit string) (Merged, error) {
	tree, err := y.Tree(ctx, commit)
	return Merged{Commit: commit, Tree: tree}, err
}

// mergeTree returns the merged tree, or the paths in conflict.
func (y *Yard) mergeTree(ctx context.Context, ours, theirs string) (tree string, conflicts []string, err error) {
	out, err := y.git().run(ctx, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	if err != nil && exitCode(err) != 1 {
		return "", nil, fmt.Errorf("merge %s into %s: %w", theirs, ours, err)
	}
	for record := range records(out) {
		switch {
		case tree == "":
			tree = record
		case record != "":
			conflicts = append(conflicts, record)
		}
	}
	if err != nil && len(conflicts) == 0 {
		return "", nil, fmt.Errorf("merge %s into %s: %w", theirs, ours, err)
	}
	return tree, conflicts, nil
}

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
