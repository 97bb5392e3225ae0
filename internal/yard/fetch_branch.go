package yard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// FetchBranch fetches one branch of a remote beyond the person's own repository and returns its tip. It is kept apart from
// the person's branches and from those of other remotes. Errors: ErrNotFound where the remote has no such branch; ErrAuth,
// ErrUnreachable.
func (y *Yard) FetchBranch(ctx context.Context, address, branch string) (string, error) {
	r, err := parseRemote(address)
	if err != nil {
		return "", err
	}
	return y.fetchTip(ctx, address, "refs/heads/"+branch, upstreamRef(r, branch))
}

// fetchTip fetches one ref of a repository, keeps it under a name of the yard where its commit was not there yet, and returns
// the commit.
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

// upstreamRef is where a remote's branch is kept. Remotes are told apart by their address without credentials.
func upstreamRef(r remote, branch string) string {
	sum := sha256.Sum256([]byte(r.address))
	return UpstreamRemotes + hex.EncodeToString(sum[:8]) + "/" + branch
}
