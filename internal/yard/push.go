package yard

import (
	"context"
	"fmt"
	"strings"
)

// PushSpec is one exact commit for one exact ref of a remote.
type PushSpec struct {
	Remote      string
	Ref         string     // full name on the remote
	Commit      string     // full hash
	ExpectedOld string     // the commit Ref must be at before; empty means it must not exist
	Credential  Credential // the zero value leaves the choice to the yard's own source
}

// Push sets a remote's ref to a commit if the ref is at ExpectedOld, and looks afterwards whether the remote has moved it. A
// ref that is at the commit already counts as pushed. Errors: *LeaseError, ErrCheckedOut, ErrDeclined, ErrAuth,
// ErrUnreachable. Push never updates a work tree, and runs no hook of a repository on this machine: those of a working copy
// are meant for the person's own pushes. It refuses a bare repository whose hooks can decline a push, with ErrDeclined.
func (y *Yard) Push(ctx context.Context, spec PushSpec) error {
	if !isHash(spec.Commit) {
		return fmt.Errorf("push to %s: %q is not a full commit hash", spec.Ref, spec.Commit)
	}
	if ok, err := y.Exists(ctx, spec.Commit); err != nil || !ok {
		return fmt.Errorf("push %s to %s: %w", spec.Commit, spec.Ref, notFoundOr(err))
	}
	return y.push(ctx, spec)
}

func (y *Yard) push(ctx context.Context, spec PushSpec) error {
	r, g, err := y.contact(ctx, spec.Remote, spec.Credential)
	if err != nil {
		return err
	}
	if err := checkRef(spec.Ref); err != nil {
		return err
	}
	if hook, err := r.refusingHook(ctx); err != nil || hook != "" {
		return refusedBy(spec, hook, err)
	}
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed",
		"--force-with-lease=" + spec.Ref + ":" + spec.ExpectedOld}
	args = append(args, r.serviceOption("receive-pack", "receive.denyCurrentBranch=refuse", "receive.autogc=false")...)
	out, pushErr := g.run(ctx, append(args, "--", r.address, spec.Commit+":"+spec.Ref)...)
	if ctx.Err() != nil {
		return fmt.Errorf("push to %s: %w", spec.Ref, pushErr)
	}
	have, err := y.remoteTip(ctx, spec.Remote, spec.Ref, spec.Credential)
	if err != nil {
		return err
	}
	if have == spec.Commit {
		return nil
	}
	return fmt.Errorf("push to %s at %s: %w", spec.Ref, redactURLs(spec.Remote), whyNotPushed(spec, g.redact(string(out)), have, pushErr))
}

func refusedBy(spec PushSpec, hook string, err error) error {
	if err != nil {
		return fmt.Errorf("push to %s at %s: %w", spec.Ref, redactURLs(spec.Remote), classifyRemote(err))
	}
	return fmt.Errorf("push to %s at %s: %w: the repository has a %s hook, and Stellwerk runs no hooks; fetch from the yard and push yourself",
		spec.Ref, spec.Remote, ErrDeclined, hook)
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
		return fmt.Errorf("%w: it reported success but did not move the ref", ErrDeclined)
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
