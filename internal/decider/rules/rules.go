// Package rules decides for playbooks of kind `rules`: a project's plan is
// worked off by a table of rules, each step on a branch of its own, verified,
// reviewed where the playbook wants it, merged, and published at the end. It is
// pure: given the same state it decides the same, and it must not do anything.
package rules

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Decider drives runs of kind `rules`.
type Decider struct{}

var _ core.Decider = Decider{}

// Kind is the playbook kind this decider is for.
func (Decider) Kind() string { return "rules" }

// Version changes when the same state would lead to other decisions.
func (Decider) Version() int { return 1 }

// Decide asks one after the other who may have something to say. The first who
// does is followed; the rest are asked again afterwards.
func (Decider) Decide(r *core.Run) []core.Body {
	if r.Plan == nil {
		return nil // it is being looked for
	}
	for _, say := range []func(*core.Run) []core.Body{ended, planned, stages, marked, publish, review} {
		if bodies := say(r); len(bodies) > 0 {
			return bodies
		}
	}
	return nil
}

// ended closes a run whose pull request was merged, and asks a person where it
// was closed.
func ended(r *core.Run) []core.Body {
	if r.PullRequest == nil {
		return nil
	}
	switch r.PullRequest.State {
	case core.PullRequestMerged:
		if r.Current() == nil && r.PullRequest.Commit == r.Verified && len(r.Changes) == 0 {
			return []core.Body{core.RunCompleted{}}
		}
	case core.PullRequestClosed:
		return []core.Body{core.RunPaused{
			Code: core.PausePublish, Stage: core.PublishStage, Reason: "the pull request was closed without being merged",
			Next: fmt.Sprintf("`stellwerk resume %s` opens another, `stellwerk cancel %s` gives the work up", r.Alias, r.Alias),
		}}
	case core.PullRequestOpen:
	}
	return nil
}

// review lets the run rest once everything is published.
func review(r *core.Run) []core.Body {
	pr := r.PullRequest
	if r.Status != core.StatusActive || pr == nil || pr.Commit != r.Verified || r.Current() != nil || len(r.Changes) > 0 {
		return nil
	}
	return []core.Body{core.ReviewAwaited{}}
}
