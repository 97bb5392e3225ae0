package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatAPlanProposesToSkip: each stage once, with its first reason; what the
// playbook does not allow is named.
func TestWhatAPlanProposesToSkip(t *testing.T) {
	t.Parallel()
	proposed := []core.SkipProposal{
		{Stage: "docs", Reason: "none"}, {Stage: "nowhere"}, {Stage: "build"}, {Stage: "docs", Reason: "again"}, {Stage: "early"}, {Stage: "design", Reason: "no face"},
	}
	r := &core.Run{Playbook: &core.Playbook{Phases: []core.Phase{
		{ID: "early", Skippable: true}, {ID: "plan", Outputs: []string{core.PlanArtifact}},
		{ID: "design", Skippable: true}, {ID: "build"}, {ID: "docs", Skippable: true},
	}}}
	task := func(id string, verdict core.Verdict, outputs []string, skips ...core.SkipProposal) *core.Task {
		return &core.Task{ID: id, Outputs: outputs, Attempts: []*core.Attempt{{Verdict: verdict, Skips: skips}}}
	}
	plan := []string{core.PlanArtifact}
	stage := func(tasks ...*core.Task) *core.Stage { return &core.Stage{ID: "plan", Round: 1, Tasks: tasks} }
	skips, refused := core.ProposedSkips(r, stage(
		task("plan.r1.a", core.VerdictPassed, plan, core.SkipProposal{Stage: "design", Reason: "older"}),
		task("plan.r1.b", core.VerdictPassed, plan, proposed...),
		task("plan.r1.c", core.VerdictFailed, plan, core.SkipProposal{Stage: "build"}),
		task("plan.r1.d", core.VerdictPassed, []string{"notes.md"}, core.SkipProposal{Stage: "build"}),
		&core.Task{ID: "plan.r1.e", Outputs: plan},
		&core.Task{ID: "plan.r1.f", Status: core.TaskDropped, Outputs: plan, Attempts: []*core.Attempt{{Verdict: core.VerdictPassed}}},
	))
	if diff := cmp.Diff([]core.SkipProposal{proposed[0], proposed[5]}, skips); diff != "" {
		t.Error(diff)
	}
	const not = "the playbook does not let a plan leave it out, so it is not skipped"
	if diff := cmp.Diff([]core.Finding{
		{File: "plan.json", Issue: `proposes to skip "nowhere": there is no such phase, so it is not skipped`},
		{File: "plan.json", Issue: `proposes to skip "build": ` + not},
		{File: "plan.json", Issue: `proposes to skip "early": ` + not},
	}, refused); diff != "" {
		t.Error(diff)
	}
	if skips, refused := core.ProposedSkips(r, stage(task("plan.r1", core.VerdictFailed, plan, proposed...))); skips != nil || refused != nil {
		t.Errorf("of a plan that did not pass: %+v, %+v", skips, refused)
	}
}
