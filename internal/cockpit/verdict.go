package cockpit

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// verdictBody is what reviewers say of the work that waits for a decision.
type verdictBody struct {
	Reviews  []reviewBody
	Findings []core.Finding // that are the engine's own
	Skips    []core.SkipProposal
	Back     string // name of the stage that it is suggested to go back to
}

// reviewBody is one review, of a stage that may have passed all the same.
type reviewBody struct {
	core.Review
	Stage  string // its name
	Passed bool   // somebody approved it all the same
}

// Against reports that the reviewer wants something else than what is there.
func (r reviewBody) Against() bool { return r.Status != core.ReviewApproved }

// verdict is what a person should know before a decision: the reviews of the stage
// that waits, and earlier ones against work that was approved anyway; if there are
// none, the newest in favour.
func verdict(d api.RunDetail) verdictBody {
	if d.Gate == nil {
		return verdictBody{}
	}
	v := verdictBody{Skips: d.Gate.Skips, Findings: slices.Clone(d.Gate.Findings)}
	var favour []reviewBody
	for _, s := range d.Stages {
		if s.ID == d.Gate.Suggestion {
			v.Back = numbered(s)
		}
		if s.Review == nil {
			continue
		}
		r := reviewBody{Review: *s.Review, Stage: stageName(s), Passed: s.Status == core.StageDone}
		if here := s.ID == d.Gate.Subject.Stage; here || r.Against() {
			v.Reviews = append(v.Reviews, r)
		} else {
			favour = []reviewBody{r}
		}
		v.Findings = slices.DeleteFunc(v.Findings, func(f core.Finding) bool { return slices.Contains(r.Findings, f) })
	}
	if len(v.Reviews) == 0 {
		v.Reviews = favour
	}
	return v
}

// against reports that the review of the waiting stage asks for something else. Then
// approving is not the main button.
func against(d api.RunDetail) bool {
	return slices.ContainsFunc(d.Stages, func(s api.Stage) bool {
		return d.Gate != nil && s.ID == d.Gate.Subject.Stage && s.Review != nil && s.Review.Status != core.ReviewApproved
	})
}

// reviewWord says a review's verdict.
func reviewWord(s core.ReviewStatus) string {
	switch s {
	case core.ReviewApproved:
		return "approves"
	case core.ReviewChangesRequested:
		return "asks for changes"
	case core.ReviewRejected:
		return "rejects it"
	}
	return wording.Status(string(s))
}
