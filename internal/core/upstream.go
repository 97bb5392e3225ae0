package core

import (
	"cmp"
	"strings"
)

// Distant reports a run that is published to a remote of the person's
// repository, or to a server, and not to a folder that is the repository itself.
func (r *Run) Distant() bool {
	return r.Home != "" || r.Remote != "" && !strings.HasPrefix(r.Remote, "/")
}

// Folder is the person's repository, or its address if it is on a server only.
func (r *Run) Folder() string { return cmp.Or(r.Home, r.Remote) }

// Folder is the person's repository, or its address if it is on a server only.
func (b RunStarted) Folder() string { return cmp.Or(b.Home, b.Remote) }

func mergeGranted(r *Run, e Event, b MergeGranted) {
	r.PullRequest.Grant = Grant{By: e.Actor.ID, Commit: b.Commit, Base: b.Base, Tip: b.Tip, Merge: b.Merge}
	if !b.ByHand {
		r.PullRequest.Grant.Event = e.ID
	}
}

// IsMerging reports a merge into the base that a person granted and the engine has
// neither carried out nor given up.
func (r *Run) IsMerging() bool {
	pr := r.PullRequest
	return pr != nil && pr.State == PullRequestOpen && pr.Grant.Event != "" && pr.Grant.Failed == nil &&
		r.Status != StatusCancelled && r.Status != StatusFailed
}

// seen takes over how a pull request stands.
func seen(pr *PullRequest, b PullRequestSeen) {
	pr.State, pr.Checks, pr.Preview, pr.Cursor = b.State, b.Checks, b.Preview, cmp.Or(b.Cursor, pr.Cursor)
	if b.State == PullRequestMerged && b.Merge == pr.Grant.Merge {
		pr.Merged = b.Merge
	}
}
