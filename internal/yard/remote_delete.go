package yard

import (
	"context"
	"fmt"
	"strings"
)

// DeleteSpec is one exact branch of a remote.
type DeleteSpec struct {
	Remote      string
	Ref         string // full name on the remote, below refs/heads
	ExpectedOld string // where Ref must be; full hash
	Credential  Credential
}

// DeleteRemote removes a branch of a remote if it is where the caller expects it; one that is gone already counts as deleted.
// The errors are those of Push, and the same holds for hooks and work trees.
func (y *Yard) DeleteRemote(ctx context.Context, spec DeleteSpec) error {
	switch {
	case !strings.HasPrefix(spec.Ref, "refs/heads/"):
		return fmt.Errorf("delete %s: only branches below refs/heads are ever deleted", spec.Ref)
	case !isHash(spec.ExpectedOld):
		return fmt.Errorf("delete %s: %q is not a full commit hash", spec.Ref, spec.ExpectedOld)
	}
	have, err := y.remoteTip(ctx, spec.Remote, spec.Ref, spec.Credential)
	switch {
	case err != nil:
		return err
	case have == "":
		return nil
	case have != spec.ExpectedOld:
		return fmt.Errorf("delete %s at %s: %w", spec.Ref, redactURLs(spec.Remote), &LeaseError{Ref: spec.Ref, Want: spec.ExpectedOld, Have: have})
	}
	return y.push(ctx, PushSpec{Remote: spec.Remote, Ref: spec.Ref, ExpectedOld: spec.ExpectedOld, Credential: spec.Credential})
}
