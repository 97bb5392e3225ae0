package yard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrOnlyCopy means that a ref holds work which the branch that was named does not.
var ErrOnlyCopy = errors.New("it contains work that the branch does not")

// Holds reports whether a branch of the runs, below refs/heads, contains a commit. A missing branch contains nothing.
func (y *Yard) Holds(ctx context.Context, branch, commit string) (bool, error) {
	tip, err := y.tip(ctx, "refs/heads/"+branch)
	if err != nil || tip == "" {
		return false, err
	}
	return y.IsAncestor(ctx, commit, tip)
}

// Release removes the ref of an attempt that ended, below Attempts, if a branch of the runs contains its commit. Git checks
// both in the step that removes the ref. The objects stay in the yard, and a ref that is gone already counts as released.
// Errors: ErrOnlyCopy if the branch does not contain the commit, *MovedError if the ref is elsewhere.
func (y *Yard) Release(ctx context.Context, ref, commit, branch string) error {
	if err := checkRef(ref); err != nil {
		return err
	}
	if !strings.HasPrefix(ref, Attempts) || !isHash(commit) {
		return fmt.Errorf("release %s at %q: only refs of attempts are ever released", ref, commit)
	}
	have, err := y.tip(ctx, ref)
	switch {
	case err != nil || have == "":
		return err
	case have != commit:
		return &MovedError{Ref: ref, Want: commit, Have: have}
	}
	tip, err := y.tip(ctx, "refs/heads/"+branch)
	if err != nil {
		return err
	}
	if tip == "" {
		return fmt.Errorf("release %s: there is no branch %s: %w", ref, branch, ErrOnlyCopy)
	}
	if held, err := y.IsAncestor(ctx, commit, tip); err != nil || !held {
		return errors.Join(err, fmt.Errorf("release %s for %s: %w", ref, branch, ErrOnlyCopy))
	}
	return y.release(ctx, ref, commit, branch, tip)
}

// release removes the ref if it is still at commit and the branch still at tip.
func (y *Yard) release(ctx context.Context, ref, commit, branch, tip string) error {
	var script bytes.Buffer
	fmt.Fprintf(&script, "verify refs/heads/%s\x00%s\x00delete %s\x00%s\x00", branch, tip, ref, commit)
	if _, err := y.git().feed(ctx, script.Bytes(), "update-ref", "--no-deref", "--stdin", "-z"); err != nil {
		return fmt.Errorf("release %s: %w", ref, err)
	}
	return nil
}
