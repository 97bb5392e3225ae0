package dispatch

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAttemptsInTheTable are those of the last round, which the table says: the sum
// below it has the others, too.
func TestAttemptsInTheTable(t *testing.T) {
	run := &core.Run{Goal: "Greet", Attempts: 2, Stages: []*core.Stage{{
		ID: "build", Status: core.StageDone, Round: 2, Tasks: []*core.Task{{ID: "build.r2", Requested: 1}},
	}}}
	got := description(run)
	for _, want := range []string{"| stage | rounds | attempts in the last round |", "| build | 2 | 1 |", "2 attempts in all."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// A pull request says what was planned, done and found, and does not call a cost
// nothing that nobody has seen.
func TestDescriptionSaysWhatWasDoneAndFound(t *testing.T) {
	done := func(id, summary string, artifacts ...string) *core.Task {
		d := &core.Delivery{}
		for _, name := range artifacts {
			d.Artifacts = append(d.Artifacts, core.Artifact{Name: name})
		}
		return &core.Task{ID: id, Attempts: []*core.Attempt{{Summary: summary, Delivery: d}}}
	}
	review := done("review.r2", "", "review.json")
	review.Attempts[0].Review = &core.Review{Status: core.ReviewApproved, Findings: []core.Finding{{File: "b.go", Issue: "could be shorter"}}}
	run := &core.Run{Goal: "Greet", Attempts: 3, Unpriced: 3, Stages: []*core.Stage{
		{ID: "plan", Status: core.StageDone, Round: 1, Tasks: []*core.Task{done("plan.r1", "Two steps `x`\n@team", "plan.md")}},
		{
			ID: "build", Status: core.StageDone, Round: 2, Tasks: []*core.Task{done("build.r2", "Handles the empty name")},
			Hotfix: &core.Hotfix{From: "review", Text: "please", Findings: []core.Finding{{File: "a.go", Issue: "empty names crash"}}},
		},
		{ID: "review", Status: core.StageDone, Round: 2, Tasks: []*core.Task{review}},
	}}
	got := description(run)
	for _, want := range []string{
		"- plan.r1: its agent says `Two steps 'x' @team`; documents: `plan.md`\n", "- build.r2: its agent says `Handles the empty name`\n",
		"Sent back from review to build, done again in round 2 and verified:\n\n- `please`\n- a.go: empty names crash\n",
		"Remarks of review, which approved:\n\n- b.go: could be shorter\n", "Cost: unknown, tokens unknown, 3 attempts in all.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	run.Usage = core.Usage{CostUSD: 0.25, InputTokens: 10}
	if got := description(run); !strings.Contains(got, "Cost: at least $0.25, 10 tokens,") {
		t.Error(got)
	}
}

// The pull request of a project says what was done and found as that of phases does.
func TestDescriptionOfAProjectSaysWhatWasDone(t *testing.T) {
	run := &core.Run{
		Goal: "Greet", Plan: &core.Plan{Steps: []core.Step{{ID: "1", Title: "Say hello"}}},
		Playbook: &core.Playbook{Kind: "rules", Project: &core.Management{}},
		Stages: []*core.Stage{{ID: "step-1", Status: core.StageDone, Round: 2, Hotfix: &core.Hotfix{From: "review", Text: "too loud"}, Tasks: []*core.Task{
			{ID: "step-1.r2.code", Kind: core.KindCode, Attempts: []*core.Attempt{{Summary: "Greets quietly", Delivery: &core.Delivery{}}}},
		}}},
	}
	got := description(run)
	for _, want := range []string{"- [x] 1. Say hello:", "- step-1.r2.code: its agent says `Greets quietly`\n", "Sent back from review to step-1, done again in round 2 and verified:\n\n- `too loud`\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
