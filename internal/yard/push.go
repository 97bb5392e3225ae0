package yard

import (
	"context"
	"fmt"
	"strings"
)

// PushSpec is one exact commit for one exact ref of a remote.
type PushSpec struct {
	Remote      string
	Ref         string // full name on the remote
	Commit      string // full hash
	ExpectedOld string // where Ref must be before; empty means it must not exist
}

// Push sets a remote's ref to a commit if the ref is where the caller expects it, and looks afterwards
// whether it is. A ref that is at the commit already counts as pushed. Errors: *LeaseError,
// ErrCheckedOut, ErrDeclined, ErrAuth, ErrUnreachable. A person's work tree is never updated, nor are
// the hooks of their working copy run; a bare remote's hooks are its owner's rules and do run.
func (y *Yard) Push(ctx context.Context, spec PushSpec) error {
	if !isHash(spec.Commit) {
		return fmt.Errorf("push to %s: %q is not a full commit hash", spec.Ref, spec.Commit)
	}
	if ok, err := y.Exists(ctx, spec.Commit); err != nil || !ok {
		return fmt.Errorf("push %s to %s: %w", spec.Commit, spec.Ref, notFoundOr(err))
	}
	return y.push(ctx, spec)
}

// DeleteRemoteMerged deletes a remote's ref if the yard knows its tip to be contained in into, and
// refuses with *NotMergedError otherwise. A ref that is gone already is no error.
func (y *Yard) DeleteRemoteMerged(ctx context.Context, address, ref, into string) error {
	tip, err := y.RemoteTip(ctx, address, ref)
	if err != nil || tip == "" {
		return err
	}
	known, err := y.Exists(ctx, tip)
	if err != nil {
		return fmt.Errorf("delete %s at %s: %w", ref, redactURLs(address), err)
	}
	contained := false
	if known {
		if contained, err = y.IsAncestor(ctx, tip, into); err != nil {
			return fmt.Errorf("delete %s at %s: %w", ref, redactURLs(address), err)
		}
	}
	if !contained {
		return &NotMergedError{Ref: ref, Commit: tip, Into: into}
	}
	return y.push(ctx, PushSpec{Remote: address, Ref: ref, ExpectedOld: tip})
}

func (y *Yard) push(ctx context.Context, spec PushSpec) error {
	r, err := parseRemote(spec.Remote)
	if err != nil {
		return err
	}
	if err := checkRef(spec.Ref); err != nil {
		return err
	}
	settings := []string{"receive.denyCurrentBranch=refuse", "receive.autogc=false"}
	if r.isWorkingCopy() {
		settings = append(settings, "core.hooksPath=/dev/null")
	}
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed",
		"--force-with-lease=" + spec.Ref + ":" + spec.ExpectedOld}
	args = append(args, r.servant("receive-pack", settings...)...)
	out, pushErr := y.remoteGit().run(ctx, append(args, "--", r.address, spec.Commit+":"+spec.Ref)...)
	if ctx.Err() != nil {
		return fmt.Errorf("push to %s: %w", spec.Ref, pushErr)
	}
	have, err := y.RemoteTip(ctx, spec.Remote, spec.Ref)
	if err != nil {
		return err
	}
	if have == spec.Commit {
		return nil
	}
	return fmt.Errorf("push to %s at %s: %w", spec.Ref, redactURLs(spec.Remote), whyNotPushed(spec, string(out), have, pushErr))
}

// whyNotPushed reads the reason from git's machine-readable report and from where the remote's ref is now.
func whyNotPushed(spec PushSpec, report, have string, failure error) error {
	switch {
	case have != spec.ExpectedOld || strings.Contains(report, "(stale info)"):
		return &LeaseError{Ref: spec.Ref, Want: spec.ExpectedOld, Have: have}
	case strings.Contains(report, "(branch is currently checked out)"):
		return fmt.Errorf("%w: %w", ErrCheckedOut, failure)
	case strings.Contains(report, "[remote rejected]"):
		return fmt.Errorf("%w: %s: %w", ErrDeclined, rejection(report), failure)
	case failure == nil:
		return fmt.Errorf("%w: it reported success and did not move the ref", ErrDeclined)
	}
	return classifyRemote(failure)
}

func rejection(report string) string {
	for line := range strings.Lines(report) {
		if _, reason, ok := strings.Cut(line, "[remote rejected]"); ok {
			return strings.TrimSpace(reason)
		}
	}
	return ""
}

func notFoundOr(err error) error {
	if err != nil {
		return err
	}
	return ErrNotFound
}
