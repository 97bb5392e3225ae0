package demo

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Explain says what happened and where to look, from the run's own events.
func Explain(alias, repository, state string, events []core.Event) ([]string, error) {
	var lies, crashes, sentBack, approvals int
	finished := map[string]bool{}
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
		case core.ApprovalGranted:
			approvals++
		case core.PublishConcluded:
			if b.OK {
				pullRequest = b.URL
			}
		default:
		}
	}
	return []string{
		fmt.Sprintf("%d time(s) an agent said it was done and was not: its word was not believed, the checks were.", lies),
		fmt.Sprintf("%d time(s) an agent died at work: what it had written was committed for it, and the next went on.", crashes),
		"One agent tried to push: its workspace has no remote, so there was nowhere to push to.",
		fmt.Sprintf("%d time(s) the run was sent back with findings, and what came after was done again.", sentBack),
		fmt.Sprintf("%d gate(s) were passed, each with an approval bound to exactly what was looked at.", approvals),
		"Your working copy was not touched: see `git status` and `git log --all` in",
		"  " + repository,
		"Pull request: " + pullRequest,
		fmt.Sprintf("The whole story: stellwerk log %s --state %s", alias, state),
		fmt.Sprintf("Every event, document and transcript: %s/runs/", state),
	}, nil
}
