package wording

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// MergesHere reports a run whose pull request is a record beside the person's own
// repository, and waits.
func MergesHere(r *core.Run) bool {
	return ToMerge(r) && r.ForgeURL == "" && !r.Distant()
}

// ToMerge reports a run whose pull request is open, and that waits for it or is
// over without.
func ToMerge(r *core.Run) bool {
	waits := r.Status == core.StatusReview || r.Status == core.StatusCompleted && !r.Managed()
	return waits && r.PullRequest != nil && r.PullRequest.State == core.PullRequestOpen
}

// Next is what a person can type now.
func Next(r *core.Run) string {
	switch {
	case r.Pause != nil:
		return onceIdle(r) + r.Pause.Next
	case r.Status == core.StatusActive && r.Session != "":
		return fmt.Sprintf("it goes on in session %s (`claude --resume %s`), or here: `stellwerk resume %s --headless`", r.Session, r.Session, r.Alias)
	case r.Status == core.StatusCompleted && MergesHere(r):
		return fmt.Sprintf("look at it: `stellwerk diff %s`; then `stellwerk merge %s`", r.Alias, r.Alias)
	case r.Status == core.StatusReview && MergesHere(r):
		return fmt.Sprintf("look at it: `stellwerk diff %s`; then `stellwerk merge %s`, or say what is to change: `stellwerk feedback %s \"…\"`", r.Alias, r.Alias, r.Alias)
	case r.Status == core.StatusReview:
		return fmt.Sprintf("look at %s and merge it into %s, or say what is to change: `stellwerk feedback %s \"…\"`", r.Branch, r.Base, r.Alias)
	case r.Status == core.StatusAwaiting:
		s := r.Current()
		approve := "stellwerk approve " + r.Alias
		if s != nil && s.Gate != nil && len(s.Gate.Leaks) > 0 {
			approve += " --with-secrets"
		}
		text := fmt.Sprintf("`%s`, or `stellwerk feedback %s \"…\"`", approve, r.Alias)
		if r.ByWaves() {
			return fmt.Sprintf("`%s`, or `stellwerk cancel %s`", approve, r.Alias)
		}
		if s == nil || s.Gate == nil {
			return text
		}
		if phase := r.Playbook.Phase(s.ID); phase != nil && phase.Act != "" && !r.Managed() {
			text = fmt.Sprintf("`%s`, or `stellwerk rollback %s --to STAGE`", approve, r.Alias)
		}
		if s.Gate.Suggestion != "" {
			text = fmt.Sprintf("`stellwerk rollback %s` (to %s, as suggested), or `%s`", r.Alias, s.Gate.Suggestion, approve)
		}
		return text
	}
	return ""
}

// onceIdle says what has to end before a paused run takes the words that it is
// advised: those that begin a stage anew or leave it out, and while it is published any.
func onceIdle(r *core.Run) string {
	if r.Publishing() {
		return "once " + r.Busy() + " has ended: "
	}
	switch r.Pause.Code {
	case core.PauseAttempts, core.PauseInfra, core.PauseInput, core.PauseCondition:
		if busy := r.Busy(); busy != "" && !r.Managed() {
			return "once " + busy + " has ended: "
		}
	default: // is told to go on, and can
	}
	return ""
}
