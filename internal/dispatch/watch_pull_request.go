package dispatch

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// pollLocal is how often a repository on this machine is asked whether it has
// taken a pull request in.
const pollLocal = 3 * time.Second

// pollEvery is the polling interval for a run's repository. The one of the settings is for
// servers.
func (d *Dispatcher) pollEvery(run *core.Run) time.Duration {
	if run.Distant() {
		return max(pollLocal, d.Poll)
	}
	return pollLocal
}

// watchPullRequest follows a pull request to its end. If there is no forge
// that could say, it waits until the target branch holds what was published:
// however a person merged it, that is what counts.
func (d *Dispatcher) watchPullRequest(ctx context.Context, run *core.Run, a core.WatchPullRequest) error {
	if run.ForgeURL != "" {
		return d.followPullRequest(ctx, run)
	}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	tick := time.NewTicker(d.pollEvery(run))
	defer tick.Stop()
	seen := ""
	for {
		merged, tip, err := d.takenIn(ctx, run, y, a.Commit, seen)
		if _, passes := transient(run, err); passes && ctx.Err() == nil {
			merged, tip, err = false, seen, nil // it is asked again soon
		}
		if err != nil {
			return err
		}
		if merged {
			return d.report(ctx, run, core.PullRequestSeen{State: core.PullRequestMerged, Commit: a.Commit, Merge: Granted(ctx, y, a.Merge, tip)})
		}
		seen = tip
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Granted returns the merge that a person granted if the branch at tip contains it. Otherwise,
// or if that cannot be told, it returns "": somebody merged in another way.
func Granted(ctx context.Context, y *yard.Yard, merge, tip string) string {
	if merge == "" {
		return ""
	}
	if held, err := y.IsAncestor(ctx, merge, tip); err != nil || !held {
		return ""
	}
	return merge
}

// takenIn reports whether the target branch holds a commit. A tip that was seen
// before is not looked at again.
func (d *Dispatcher) takenIn(ctx context.Context, run *core.Run, y *yard.Yard, commit, seen string) (bool, string, error) {
	tip, err := y.RemoteTip(ctx, run.Remote, "refs/heads/"+target(run, core.PublishStage))
	if err != nil || tip == "" || tip == seen {
		return false, tip, err
	}
	known, err := y.Exists(ctx, tip)
	switch {
	case err != nil || known:
	case run.Distant():
		tip, err = y.FetchBranch(ctx, run.Remote, target(run, core.PublishStage))
	default:
		err = y.Fetch(ctx, run.Remote)
	}
	if err != nil {
		return false, tip, err
	}
	merged, err := y.IsAncestor(ctx, commit, tip)
	if err == nil && !merged {
		merged, err = holds(ctx, run, y, tip, commit)
	}
	return merged, tip, err
}

// holds reports that a branch has everything that a commit would bring, but not the commit
// itself: it was squashed or cherry-picked.
func holds(ctx context.Context, run *core.Run, y *yard.Yard, tip, commit string) (bool, error) {
	made, err := y.Merge(ctx, yard.MergeSpec{Into: tip, From: commit, Message: "try", Identity: yard.Identity(run.Identity), When: run.Now()})
	if err != nil || len(made.Conflicts) > 0 {
		return false, err
	}
	tree, err := y.Tree(ctx, tip)
	return made.Tree == tree, err
}
