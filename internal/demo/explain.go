package demo

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Pushed is what the scripted agent says after it tried to push in vain.
const Pushed = "The push failed."

// Explain says what happened and where to look, from the run's own events and
// what its agents said.
func Explain(alias, repository, state string, events []core.Event, said []string) ([]string, error) {
	var lies, crashes, sentBack, accepted, approvals, pushes int
	for _, text := range said {
		if text == Pushed {
			pushes++
		}
	}
	finished, findings := map[string]bool{}, map[core.Subject]bool{}
	pullRequest := "none yet"
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			return nil, err
		}
		switch b := body.(type) {
		case core.AttemptExited:
			finished[b.Attempt] = b.Kind == core.ExitFinished
			if b.Kind == core.ExitFailed {
				crashes++
			}
		case core.VerifyConcluded:
			if !b.Passed && finished[b.Attempt] {
				lies++
			}
		case core.RolledBack, core.FeedbackGiven:
			sentBack++
		case core.ApprovalRequested:
			findings[b.Subject] = len(b.Findings) > 0 && b.Suggestion != "" // a plan proposes what to skip
		case core.ApprovalGranted:
			approvals++
			if findings[b.Subject] {
				accepted++
			}
		case core.PublishConcluded:
			if b.OK {
				pullRequest = b.URL
			}
		default:
		}
	}
	review := fmt.Sprintf("%d × the run was sent back with findings, and the rest was done again.", sentBack)
	if accepted > 0 {
		review = fmt.Sprintf("%d × you approved a review despite its findings.", accepted)
		if sentBack > 0 {
			review = fmt.Sprintf("%d × the run was sent back with findings; %d × you approved a review despite its findings.", sentBack, accepted)
		}
	}
	return []string{
		fmt.Sprintf("%d × an agent said it was done and was not: the checks were believed.", lies),
		fmt.Sprintf("%d × an agent died at work: what it had written was saved, the next went on.", crashes),
		fmt.Sprintf("%d × an agent tried to push: its workspace has nowhere to push to.", pushes),
		review,
		fmt.Sprintf("%d gates were passed, each approval bound to exactly what was there.", approvals),
		"The working copy was not touched: see `git status` and `git log --all` in",
		"  " + repository,
		"Pull request: " + pullRequest,
		fmt.Sprintf("The whole story: stellwerk log %s --state %s", alias, state),
		fmt.Sprintf("Every event, document and transcript: %s/runs/", state),
	}, nil
}
