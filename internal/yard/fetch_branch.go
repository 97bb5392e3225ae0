package yard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// FetchBranch fetches one branch of a remote other than the person's own repository and returns its tip. The yard keeps it
// apart from the person's branches and from those of other remotes. Errors: ErrNotFound if the remote has no such branch;
// ErrAuth, ErrUnreachable.
func (y *Yard) FetchBranch(ctx context.Context, address, branch string) (string, error) {
	r, err := parseRemote(address)
	if err != nil {
		return "", err
	}
	return y.fetchTip(ctx, address, "refs/heads/"+branch, upstreamRef(r, branch))
}

// fetchTip returns the commit of a repository's ref. If the yard does not have it yet, fetchTip fetches it and keeps it under
// a ref of the yard.
func (y *Yard) fetchTip(ctx context.Context, address, from, ref string) (string, error) {
	tip, err := y.RemoteTip(ctx, address, from)
	if err != nil {
		return "", err
	}
	if tip == "" {
		return "", fmt.Errorf("%s of %s: %w", from, redactURLs(address), ErrNotFound)
	}
	if known, err := y.Exists(ctx, tip); err != nil || known {
		return tip, err
	}
	if err := y.fetch(ctx, address, "+"+from+":"+ref); err != nil {
		return "", err
	}
	return y.Resolve(ctx, ref)
}

// upstreamRef is the yard's ref for a remote's branch. The address without credentials identifies the remote.
func upstreamRef(r remote, branch string) string {
	sum := sha256.Sum256([]byte(r.address))
	return UpstreamRemotes + hex.EncodeToString(sum[:8]) + "/" + branch
}
