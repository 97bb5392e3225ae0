package show

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Waits are what of a run waits for a person: one function for each kind.
func Waits(r *core.Run) []api.Waiting {
	return slices.Concat(approvals(r), pauses(r), reviews(r))
}

func approvals(r *core.Run) []api.Waiting {
	s := r.Gated()
	if r.Status != core.StatusAwaiting || s == nil {
		return nil
	}
	return []api.Waiting{{
		Kind: api.WaitApproval, Since: r.WaitsSince, Reason: "stage " + s.ID + " waits for an approval", Next: wording.Next(r), Gate: s.Gate,
	}}
}

func pauses(r *core.Run) []api.Waiting {
	if r.Pause == nil || r.Pause.Code == core.PauseQuestion { // what is asked is listed itself
		return nil
	}
	return []api.Waiting{{Kind: api.WaitPause, Since: r.Pause.At, Reason: r.Pause.Reason, Next: wording.Next(r), Pause: r.Pause}}
}

func reviews(r *core.Run) []api.Waiting {
	if r.Status != core.StatusReview {
		return nil
	}
	reason := r.Branch + " is published and waits for a review"
	if r.PullRequest != nil && r.PullRequest.URL != "" {
		reason += ": " + r.PullRequest.URL
	}
	return []api.Waiting{{Kind: api.WaitReview, Since: r.WaitsSince, Reason: reason, Next: wording.Next(r)}}
}
