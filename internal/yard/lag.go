package yard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Lag compares a branch of the person's repository with the branch of a remote that it follows, as last fetched there. The
// zero value is a branch that follows none.
type Lag struct {
	Follows string // for example origin/main
	Lacks   int    // commits that only the followed branch has
	Ahead   int    // commits that only the branch itself has
}

// Lag compares commit, the tip of a branch in the repository at dir, with the branch that it follows: its upstream, or else
// the branch of the same name on origin. It fetches nothing from the remote itself.
func (y *Yard) Lag(ctx context.Context, dir, branch, commit string) (Lag, error) {
	ref, err := personGit(dir).followed(ctx, branch)
	if err != nil {
		return Lag{}, err
	}
	tip, err := y.fetchTip(ctx, dir, ref, UpstreamFollowed+strings.TrimPrefix(ref, trackingRefs))
	if errors.Is(err, ErrNotFound) {
		return Lag{}, nil
	}
	if err != nil {
		return Lag{}, err
	}
	lacks, err := y.Log(ctx, commit, tip)
	if err != nil {
		return Lag{}, err
	}
	ahead, err := y.Log(ctx, tip, commit)
	return Lag{Follows: strings.TrimPrefix(ref, trackingRefs), Lacks: len(lacks), Ahead: len(ahead)}, err
}

const trackingRefs = "refs/remotes/"

// followed is the remote-tracking ref of what a branch follows.
func (g git) followed(ctx context.Context, branch string) (string, error) {
	if err := checkRef("refs/heads/" + branch); err != nil {
		return "", err
	}
	ref, err := g.line(ctx, "for-each-ref", "--format=%(upstream)", "refs/heads/"+branch)
	if err != nil {
		return "", fmt.Errorf("find what %s tracks: %w", branch, err)
	}
	if !strings.HasPrefix(ref, trackingRefs) || checkRef(ref) != nil {
		ref = trackingRefs + "origin/" + branch
	}
	return ref, nil
}
