package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Pulls are the records of pull requests that no forge keeps.
type Pulls interface {
	Settle(ctx context.Context, project string, number int, state forge.State, merge string) error
}

// settingBase is how long the person's repository may take to set a branch: a hook
// of theirs that hangs must not keep a merge from ending.
const settingBase = 2 * time.Minute

// mergeIntoBase sets the base of the person's repository to the merge that they
// granted, if the base is where they were shown it. A failure is theirs to act on:
// they are told, and grant it again.
func (d *Dispatcher) mergeIntoBase(ctx context.Context, run *core.Run) error {
	pr := run.PullRequest
	merge, tip, err := d.setBase(ctx, run, pr.Grant)
	if err := undecided(ctx, err); err != nil {
		return err
	}
	if errors.Is(err, errUnseen) {
		return err // whether it was merged is not known: it is tried again
	}
	if err != nil {
		d.Log.Warn("a pull request could not be merged", "run", run.Alias, "base", pr.Grant.Base, "error", d.redactor(run).String(err.Error()))
		return d.report(ctx, run, core.MergeFailed{Merge: pr.Grant.Merge, Cause: mergeFailure(err), Reason: d.redactor(run).String(err.Error())})
	}
	d.Log.Info("a pull request was merged", "run", run.Alias, "by", pr.Grant.By, "base", pr.Grant.Base, "commit", tip)
	if err := d.Pulls.Settle(ctx, run.Project, pr.Number, forge.Merged, tip); err != nil {
		d.Log.Warn("the record of a pull request cannot be settled", "run", run.Alias, "error", err)
	}
	return d.report(ctx, run, core.PullRequestSeen{State: core.PullRequestMerged, Commit: pr.Commit, Merge: merge})
}

// errUnseen says that a base which has moved could not be looked at.
var errUnseen = errors.New("the base branch cannot be looked at")

// setBase returns the merge that the base holds, "" for one that nobody granted,
// and where the base is. An engine before this one may have set it, and the base
// may have moved on since. An engine that ends lets the push come to its end.
func (d *Dispatcher) setBase(ctx context.Context, run *core.Run, grant core.Grant) (merge, tip string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settingBase)
	defer cancel()
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return "", "", err
	}
	err = y.Push(ctx, yard.PushSpec{Remote: run.Remote, Ref: "refs/heads/" + grant.Base, Commit: grant.Merge, ExpectedOld: grant.Tip})
	if mergeFailure(err) != core.MergeBaseMoved {
		return grant.Merge, grant.Merge, err
	}
	merged, tip, looked := d.takenIn(ctx, run, y, grant.Commit, "")
	switch {
	case looked != nil:
		return "", "", errors.Join(errUnseen, looked)
	case merged:
		return Granted(ctx, y, grant.Merge, tip), tip, nil
	}
	return "", "", err
}

func mergeFailure(err error) core.MergeFailure {
	var lease *yard.LeaseError
	switch {
	case errors.As(err, &lease):
		return core.MergeBaseMoved
	case errors.Is(err, yard.ErrCheckedOut):
		return core.MergeBaseCheckedOut
	}
	return ""
}
