package dispatch

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhoReviewsIsWarned of what was published all the same: open findings and places that look like secrets, each with
// whose word it was, files that steer other programs, and agents without walls. Of none of it where there is none.
func TestWhoReviewsIsWarned(t *testing.T) {
	gate := func(leaks ...core.Leak) *core.Gate {
		return &core.Gate{Approved: true, By: core.Actor{Kind: core.ActorPerson, ID: "ada"}, WithLeaks: len(leaks) > 0, Leaks: leaks}
	}
	review := func(status core.ReviewStatus) []*core.Task {
		return []*core.Task{{ID: "r", Attempts: []*core.Attempt{{Verdict: core.VerdictPassed, Review: &core.Review{Status: status, Findings: []core.Finding{{File: "a.go", Issue: "too long"}}}}}}}
	}
	run := &core.Run{
		Goal: "Greet", Issue: "42", Isolation: "none", Playbook: &core.Playbook{},
		Stages: []*core.Stage{
			{ID: "review", Status: core.StageDone, Round: 1, Gate: gate(), Tasks: review(core.ReviewChangesRequested)},
			{ID: "open", Status: core.StageOpen, Round: 1, Tasks: review(core.ReviewChangesRequested)},
			{ID: "publish", Status: core.StageDone, Round: 1, Gate: gate(core.Leak{Rule: "github-token", File: "a.env", Line: 2}), Tasks: []*core.Task{
				{ID: "publish.r1", Prepared: &core.PublishPrepared{Notices: []string{touches + ".github/ci`.yml", "main has moved on since the run started"}}}, {ID: "publish.r2"},
			}},
		},
	}
	got := description(run, nil)
	for _, want := range []string{
		"Issue: #42\n", "Open findings of review, approved as they are by person ada:\n\n- `a.go: too long`\n", "published as they are by person ada:\n\n- `", "a.env",
		"Changes files that steer builds, agents or tools:\n\n- `.github/ci'.yml`\n", "**Unenforced**", "| review | 1 | 0 |  | person ada |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for _, never := range []string{"Open findings of open", "| open |", "moved on"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in\n%s", never, got)
		}
	}
	run.Issue, run.Isolation = "https://git.example.org/r/issues/7", "sandbox"
	run.Stages[0].Tasks, run.Stages[0].Gate.Approved = review(core.ReviewApproved), false
	run.Stages[2].Gate.WithLeaks, run.Stages[2].Tasks = false, nil
	got = description(run, nil)
	if !strings.Contains(got, "Issue: https://git.example.org/r/issues/7\n") {
		t.Errorf("the issue is missing in\n%s", got)
	}
	for _, never := range []string{"Open findings", "look like secrets", "steer builds", "Unenforced", "person ada |\n| publish"} {
		if strings.Contains(got, never) {
			t.Errorf("%q is in\n%s", never, got)
		}
	}
}
