package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Mergeable implements api.Service.
func (a *App) Mergeable(ctx context.Context, id string) (api.Mergeable, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Mergeable{}, err
	}
	m, _, err := a.mergeable(ctx, run)
	return m, err
}

// Merge implements api.Service. The commit is made in the yard, and the person's
// branch set to it if it is where they were shown; nothing else of their
// repository is touched.
func (a *App) Merge(ctx context.Context, id string, req api.Merge) (api.Run, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return api.Run{}, err
	}
	if speakerTo(ctx, run).Kind != core.ActorPerson {
		return api.Run{}, core.Errorf(core.CodeForbidden, "only a person merges").WithHint("the person does that, in a terminal of their own or in the cockpit")
	}
	m, made, err := a.mergeable(ctx, run)
	switch {
	case err != nil:
		return api.Run{}, err
	case req.Commit != "" && req.Commit != m.Commit || req.Tip != "" && req.Tip != m.Tip:
		return api.Run{}, movedOn(run, m)
	case !m.Can:
		return api.Run{}, core.Errorf(core.CodeConflict, "%s cannot be merged here: %s", m.Branch, m.Reason).WithHint("%s", m.Next)
	case req.Commit == "" || req.Tip == "":
		return api.Run{}, core.Errorf(core.CodeInvalid, "it is not said what of run %s is merged, and into what", run.Alias).
			WithHint("look at it, and send commit and tip along, as GET /v1/runs/%s/merge shows them", run.Alias)
	}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return api.Run{}, err
	}
	err = y.Push(ctx, yard.PushSpec{Remote: run.Remote, Ref: "refs/heads/" + m.Base, Commit: made, ExpectedOld: m.Tip})
	var lease *yard.LeaseError
	switch {
	case errors.As(err, &lease):
		return api.Run{}, movedOn(run, m)
	case errors.Is(err, yard.ErrCheckedOut):
		return api.Run{}, core.Wrap(core.CodeConflict, err, m.Base+" is checked out", byHand(m))
	case err != nil:
		return api.Run{}, core.Wrap(core.CodeConflict, err, m.Branch+" could not be merged", byHand(m))
	}
	a.log.Info("a pull request was merged", "run", run.Alias, "by", CallerOf(ctx).ID, "base", m.Base, "commit", made)
	return a.mergeSeen(ctx, run, made)
}

func movedOn(run *core.Run, m api.Mergeable) error {
	return core.Errorf(core.CodeConflict, "what you were shown is not what would be merged now: %.8s into %s at %.8s", m.Commit, m.Base, m.Tip).
		WithHint("look again: `stellwerk diff %s`", run.Alias)
}

// mergeSeen records what the forge would say. Who watches the branch may have
// been first.
func (a *App) mergeSeen(ctx context.Context, run *core.Run, made string) (api.Run, error) {
	pr := run.PullRequest
	if err := a.pulls.Settle(run.Project, pr.Number, forge.Merged, made); err != nil {
		a.log.Warn("the record of a pull request cannot be settled", "run", run.Alias, "error", err)
	}
	after, err := a.engine.Submit(ctx, run.ID, core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged, Commit: pr.Commit})
	if core.CodeOf(err) == core.CodeConflict {
		after, err = a.engine.Load(ctx, run.ID)
	}
	if err != nil {
		return api.Run{}, err
	}
	return viewRun(after), nil
}

// mergeable looks at what merging would do; made is the commit, which is in the
// yard only.
func (a *App) mergeable(ctx context.Context, run *core.Run) (m api.Mergeable, made string, err error) {
	pr := run.PullRequest
	if run.Status != core.StatusReview || pr == nil || pr.State != core.PullRequestOpen {
		return m, "", core.Errorf(core.CodeConflict, "run %s is %s: nothing waits to be merged", run.Alias, run.Status).
			WithHint("see `stellwerk status %s`", run.Alias)
	}
	m = api.Mergeable{Commit: pr.Commit, Branch: run.Branch, Base: dispatch.Target(run)}
	switch {
	case run.ForgeURL != "":
		m.Reason, m.Next = "its pull request is on "+run.ForgeURL, "merge it there: "+pr.URL
		return m, "", nil
	case run.Distant():
		m.Reason, m.Next = "the repository is elsewhere, at "+run.Remote, "merge it there"
		return m, "", nil
	}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return m, "", err
	}
	if m.Tip, err = baseTip(ctx, y, run.Remote, m.Base); err != nil {
		return m, "", err
	}
	if m.Tip == "" {
		m.Reason, m.Next = "the repository has no branch "+m.Base+" any more", "make one, or `stellwerk cancel "+run.Alias+"`"
		return m, "", nil
	}
	made, err = tryMerge(ctx, y, run, &m)
	if err == nil && m.Reason == "" {
		err = checkedOut(ctx, run, &m)
	}
	m.Can = err == nil && m.Reason == ""
	return m, made, err
}

// baseTip is where a branch of the person's repository is, which the yard then
// has; "" where there is none.
func baseTip(ctx context.Context, y *yard.Yard, remote, branch string) (string, error) {
	tip, err := y.RemoteTip(ctx, remote, "refs/heads/"+branch)
	if err != nil || tip == "" {
		return "", err
	}
	known, err := y.Exists(ctx, tip)
	if err != nil || known {
		return tip, err
	}
	failed := y.Fetch(ctx, remote) // or who watches the branch fetches it this moment
	if known, err = y.Exists(ctx, tip); err == nil && known {
		return tip, nil
	}
	if err = errors.Join(failed, err); err == nil {
		err = core.Errorf(core.CodeConflict, "%s moves at this very moment", branch).WithHint("look again")
	}
	return "", err
}

// tryMerge makes the commit, or says what stands against it.
func tryMerge(ctx context.Context, y *yard.Yard, run *core.Run, m *api.Mergeable) (string, error) {
	newer, err := y.Log(ctx, m.Commit, m.Tip)
	if err != nil {
		return "", err
	}
	m.Ahead = len(newer)
	made, err := y.Merge(ctx, yard.MergeSpec{
		Into: m.Tip, From: m.Commit, Message: fmt.Sprintf("Merge %s: %s", run.Branch, run.Title), Identity: yard.Identity(run.Identity), When: run.Now(),
	})
	if err != nil {
		return "", err
	}
	if m.Conflicts = made.Conflicts; len(made.Conflicts) > 0 {
		m.Reason = fmt.Sprintf("%s has moved on, and %d of its files were changed on both sides", m.Base, len(made.Conflicts)+made.Unlisted)
		m.Next = fmt.Sprintf("merge it by hand (`git merge %s`), or cancel the run and begin another", run.Branch)
	}
	return made.Commit, nil
}

// checkedOut refuses to merge into a branch in whose files a person works.
func checkedOut(ctx context.Context, run *core.Run, m *api.Mergeable) error {
	tree, err := yard.CheckedOut(ctx, run.Remote, m.Base)
	if err != nil || tree == "" {
		return err
	}
	m.Reason = fmt.Sprintf("%s is checked out in %s, and files that you work with are never touched", m.Base, tree)
	m.Next = fmt.Sprintf("type this: git -C %s merge %s", quoted(tree), quoted(m.Branch))
	return nil
}

func byHand(m api.Mergeable) string {
	return fmt.Sprintf("merge it by hand: git merge %s", quoted(m.Branch))
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
