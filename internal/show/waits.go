package show

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Waits is what of a run waits for a person, but for questions: those are listed
// themselves.
func Waits(r *core.Run) []api.Waiting {
	w := api.Waiting{Since: r.WaitsSince, Next: wording.Next(r)}
	switch gated := r.Gated(); {
	case r.Pause != nil && r.Pause.Code != core.PauseQuestion:
		w.Kind, w.Since, w.Reason, w.Pause = api.WaitPause, r.Pause.At, r.Pause.Reason, r.Pause
	case r.Status == core.StatusAwaiting && gated != nil:
		w.Kind, w.Reason, w.Gate = api.WaitApproval, "stage "+gated.ID+" waits for an approval", gated.Gate
	case r.Status == core.StatusReview:
		w.Kind, w.Reason = api.WaitReview, r.Branch+" is published and waits for a review"
		if r.PullRequest != nil && r.PullRequest.URL != "" {
			w.Reason += ": " + r.PullRequest.URL
		}
	default:
		return nil
	}
	return []api.Waiting{w}
}
