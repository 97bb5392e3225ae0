package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Mergeable implements api.Service.
func (a *Service) Mergeable(ctx context.Context, id string) (api.Mergeable, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Mergeable{}, err
	}
	m, _, err := a.mergeable(ctx, run)
	return m, err
}

// Merge implements api.Service. It makes the merge commit in the yard and records the
// person's word; the engine then sets their branch to it, if the branch is where they
// were shown, and touches nothing else of their repository. Merge waits for that. A
// client that goes away meanwhile, or an engine that ends, does not stop it.
func (a *Service) Merge(ctx context.Context, id string, req api.Merge) (api.Run, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Run{}, err
	}
	speaker := api.Speaker(ctx, run.Session)
	if speaker.Kind != core.ActorPerson {
		return api.Run{}, core.Errorf(core.CodeForbidden, "only a person merges").WithHint("the person does that, in a terminal of their own or in the cockpit")
	}
	if run, err = a.mergeEnd(ctx, run); err != nil { // of another word, or the same one given before
		return api.Run{}, err
	}
	if mergedBefore(run, speaker, req) {
		return show.Run(run), nil
	}
	m, made, err := a.mergeable(ctx, run)
	grant := core.MergeGranted{Commit: m.Commit, Base: m.Base, Tip: m.Tip, Merge: made}
	switch {
	case err != nil:
		return api.Run{}, err
	case m.Merged && (req.Commit == "" || req.Commit == m.Commit): // it is there, whoever brought it
		return a.mergeSeen(ctx, run, a.granted(ctx, run, m.Tip), m.Tip)
	case req.Commit != "" && req.Commit != m.Commit || req.Tip != "" && req.Tip != m.Tip:
		return api.Run{}, movedOn(run, m)
	case req.FastForward && m.Tree != "" && req.Commit != "" && req.Tip != "":
		grant.Merge, grant.ByHand = m.Commit, true
	case !m.Can:
		return api.Run{}, core.Errorf(core.CodeConflict, "%s cannot be merged here: %s", m.Branch, m.Reason).WithHint("%s", instead(m))
	case req.Commit == "" || req.Tip == "":
		return api.Run{}, core.Errorf(core.CodeInvalid, "it is not said what of run %s is merged, and into what", run.Alias).
			WithHint("look at it, and send commit and tip along, as GET /v1/runs/%s/merge shows them", run.Alias)
	}
	if grant.Pack, err = a.packMerge(ctx, run, grant); err != nil {
		return api.Run{}, err
	}
	return a.grant(ctx, run, speaker, grant, m)
}

// packMerge keeps the commit that the base is set to; "" if that was published, and so is kept already.
func (a *Service) packMerge(ctx context.Context, run *core.Run, grant core.MergeGranted) (string, error) {
	if grant.Merge == grant.Commit {
		return "", nil
	}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return "", err
	}
	return pack.Keep(ctx, a.objects, y, []string{grant.Merge}, grant.Tip, grant.Commit)
}

// mergedBefore reports a word that was given and carried out before.
func mergedBefore(run *core.Run, speaker core.Actor, req api.Merge) bool {
	pr := run.PullRequest
	return pr != nil && pr.Merged != "" && req.Commit == pr.Commit && pr.Grant.By == speaker.ID
}

// grant records a person's word and waits for what becomes of it.
func (a *Service) grant(ctx context.Context, run *core.Run, speaker core.Actor, grant core.MergeGranted, m api.Mergeable) (api.Run, error) {
	id := run.ID
	run, refused := a.engine.Submit(ctx, id, speaker, grant)
	if refused != nil && core.CodeOf(refused) != core.CodeConflict {
		return api.Run{}, refused
	}
	var err error
	if refused != nil { // perhaps by the same word, which came twice at once
		if run, err = a.engine.Load(ctx, id); err != nil {
			return api.Run{}, err
		}
	}
	if run, err = a.mergeEnd(ctx, run); err != nil {
		return api.Run{}, err
	}
	pr := run.PullRequest
	switch {
	case refused != nil && !mergedBefore(run, speaker, api.Merge{Commit: grant.Commit}):
		return api.Run{}, refused
	case pr != nil && pr.Grant.Failed != nil:
		return api.Run{}, mergeFailed(ctx, run, *pr.Grant.Failed, m)
	case pr == nil || pr.Commit != grant.Commit:
		return api.Run{}, movedOn(run, m)
	}
	return show.Run(run), nil
}

// mergeEnd waits for a merge that is under way.
func (a *Service) mergeEnd(ctx context.Context, run *core.Run) (*core.Run, error) {
	if !run.IsMerging() {
		return run, nil
	}
	return a.engine.Until(ctx, run.ID, func(r *core.Run) bool { return !r.IsMerging() })
}

// mergeFailed says why the base was not moved, and what the person can do.
func mergeFailed(ctx context.Context, run *core.Run, failed core.MergeFailed, m api.Mergeable) error {
	if failed.Cause == core.MergeBaseMoved {
		return movedOn(run, m)
	}
	cause := errors.New(failed.Reason)
	if err := handwork(ctx, run, &m); err != nil {
		return errors.Join(cause, err)
	}
	if failed.Cause == core.MergeBaseCheckedOut {
		return core.Wrap(core.CodeConflict, cause, m.Base+" is checked out", instead(m))
	}
	return core.Wrap(core.CodeConflict, cause, m.Branch+" could not be merged", instead(m))
}

// granted is the merge that a person granted, if the base holds it.
func (a *Service) granted(ctx context.Context, run *core.Run, tip string) string {
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return ""
	}
	return dispatch.Granted(ctx, y, run.PullRequest.Grant.Merge, tip)
}

func movedOn(run *core.Run, m api.Mergeable) error {
	return core.Errorf(core.CodeConflict, "what you were shown is not what would be merged now: %.8s into %s at %.8s", m.Commit, m.Base, m.Tip).
		WithHint("look again").Offer(run.Choices(core.VerbDiff)...)
}

// mergeSeen records what a forge would say: that the base holds the work, at tip, and by which
// of the merges that were granted. Dispatch, which watches the branch, may have been first.
func (a *Service) mergeSeen(ctx context.Context, run *core.Run, merge, tip string) (api.Run, error) {
	pr := run.PullRequest
	if err := a.pulls.Settle(ctx, run.Project, pr.Number, forge.Merged, tip); err != nil {
		a.log.Warn("the record of a pull request cannot be settled", "run", run.Alias, "error", err)
	}
	after, err := a.engine.Submit(ctx, run.ID, core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged, Commit: pr.Commit, Merge: merge})
	if core.CodeOf(err) == core.CodeConflict {
		after, err = a.engine.Load(ctx, run.ID)
	}
	if err != nil {
		return api.Run{}, err
	}
	return show.Run(after), nil
}

// mergeable looks at what merging would do; made is the commit, which is in the
// yard only.
func (a *Service) mergeable(ctx context.Context, run *core.Run) (m api.Mergeable, made string, err error) {
	pr := run.PullRequest
	if pr != nil && pr.State == core.PullRequestMerged {
		return m, "", core.Errorf(core.CodeConflict, "%s is merged already: nothing waits to be merged", run.Branch).
			WithHint("`stellwerk log %s` tells by whom; begin further work with `stellwerk run`", run.Alias)
	}
	if !run.ToMerge() {
		return m, "", core.Errorf(core.CodeConflict, "run %s is %s: nothing waits to be merged", run.Alias, run.Status.InWords()).
			Offer(run.Choices(core.VerbStatus)...)
	}
	m = api.Mergeable{Commit: pr.Commit, Branch: run.Branch, Base: dispatch.Target(run)}
	switch {
	case run.ForgeURL != "":
		m.Reason, m.Next = "its pull request is on "+run.ForgeURL, "merge it there: "+pr.URL
		return m, "", nil
	case run.Distant():
		m.Reason, m.Next = "the repository is elsewhere, at "+run.Remote, "merge it there"
		return m, "", nil
	case a.find.Elsewhere(run.Project, run.Remote):
		m.Reason, m.Next = "the repository is on another machine, in "+run.Remote, "ask an engine there"
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
	if err == nil {
		err = handwork(ctx, run, &m)
	}
	if m.Can = err == nil && m.Reason == ""; m.Can {
		m.Next, m.Command = "", ""
	}
	return m, made, err
}

// baseTip is where a branch of the person's repository is, which the yard then
// has; "" if there is none.
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
	tree, err := y.Tree(ctx, m.Tip)
	if err != nil {
		return "", err
	}
	m.Merged = made.Tree == tree // it brings nothing: the base holds the commit, or all of it as another
	if m.Conflicts = made.Conflicts; len(made.Conflicts) > 0 {
		m.Reason = fmt.Sprintf("%s has moved on, and %d of its files were changed on both sides", m.Base, len(made.Conflicts)+made.Unlisted)
	}
	return made.Commit, nil
}

// handwork refuses to merge into a branch in whose files a person works, and says what to type
// if they have to merge themselves.
func handwork(ctx context.Context, run *core.Run, m *api.Mergeable) error {
	tree, first, err := yard.CheckedOut(ctx, run.Remote, m.Base)
	if err != nil {
		return err
	}
	if tree != "" && m.Ahead == 0 && len(m.Conflicts) == 0 {
		m.Tree = tree
	}
	switch {
	case tree == "" || m.Reason != "":
	case m.Ahead > 0:
		m.Reason = fmt.Sprintf("%s is checked out in %s and has %s that %s lacks, so it cannot be fast-forwarded",
			m.Base, tree, wording.Count(m.Ahead, "commit"), m.Branch)
	default:
		m.Reason = fmt.Sprintf("%s is checked out in %s, and files that you work with are touched only if you say so", m.Base, tree)
	}
	edit := " --no-edit"
	if len(m.Conflicts) > 0 {
		edit = "" // git asks for words when the conflicts are put right
	}
	switch {
	case tree != "":
		m.Command = fmt.Sprintf("git -C %s merge%s %s", plain.ShellWord(tree), edit, plain.ShellWord(m.Branch))
	case first != "":
		m.Command = fmt.Sprintf("git -C %s switch %s && git -C %s merge%s %s", plain.ShellWord(first), plain.ShellWord(m.Base), plain.ShellWord(first), edit, plain.ShellWord(m.Branch))
	}
	switch {
	case m.Command == "":
		m.Next = fmt.Sprintf("merge %s into %s in a clone of %s, and push it", m.Branch, m.Base, run.Remote)
	case len(m.Conflicts) > 0:
		m.Next = "merge it yourself and put the conflicts right, or cancel the run and begin another"
	case m.Tree != "":
		m.Next = fmt.Sprintf("say so with `stellwerk merge %s --fast-forward`, or merge it yourself", run.Alias)
	default:
		m.Next = "merge it yourself"
	}
	return nil
}

// instead is what a person can do, in a line.
func instead(m api.Mergeable) string {
	if m.Command == "" {
		return m.Next
	}
	return m.Next + ": `" + m.Command + "`"
}
