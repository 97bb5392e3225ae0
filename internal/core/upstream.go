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

// seen takes over how a pull request stands.
func seen(pr *PullRequest, b PullRequestSeen) {
	pr.State, pr.Checks, pr.Preview, pr.Cursor = b.State, b.Checks, b.Preview, cmp.Or(b.Cursor, pr.Cursor)
	if b.State == PullRequestMerged && b.Merge == pr.Grant.Merge {
		pr.Merged = b.Merge
	}
}
