package dispatch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestDescriptionOfSteps lists every step of the plan that was done or left out, what was asked for later, and what each
// of them took.
func TestDescriptionOfSteps(t *testing.T) {
	code := func(kind core.TaskKind, requested int, usd ...float64) *core.Task {
		task := &core.Task{Kind: kind, Requested: requested}
		for _, cost := range usd {
			task.Attempts = append(task.Attempts, &core.Attempt{Status: core.AttemptEnded, Usage: core.Usage{CostUSD: cost}})
		}
		return task
	}
	run := &core.Run{
		Goal: "Greet", Attempts: 9,
		Playbook: &core.Playbook{Kind: "rules", Project: &core.Management{
			Done: core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "make test"}, {Kind: core.CheckCommand, Run: "make lint"}}},
		}},
		Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{
			{ID: "1", Title: "Say hello"}, {ID: "2", Title: "Say it `aloud`"}, {ID: "3", Title: "Say it twice", Done: true},
			{ID: "4", Title: "Say goodbye"}, {ID: "5", Title: strings.Repeat("s", 201)}, {ID: "6", Title: "Not begun"},
		}}},
		Stages: []*core.Stage{
			{ID: "step-1", Status: core.StageDone, Round: 2, Tasks: []*core.Task{
				code(core.KindCode, 2, 0.25, 0.5), code(core.KindReview, 1, 0.25), code(core.KindFix, 1), code(core.KindResolve, 1),
			}},
			{ID: "step-2", Status: core.StageOmitted},
			{ID: "step-4", Status: core.StageOpen},
			{ID: "step-5", Status: core.StageDone, Round: 1, Tasks: []*core.Task{code(core.KindCode, 1), code(core.KindReview, 1)}},
			{ID: "wish-1", Status: core.StageDone, Round: 1, Wish: &core.Changes{Text: strings.Repeat("w", 201)}, Tasks: []*core.Task{code(core.KindCode, 1, 0.5, 0)}},
			{ID: "wish-2", Status: core.StageOpen, Round: 1, Wish: &core.Changes{Text: "in Dutch"}},
		},
	}
	want := `Greet

## Steps

- [x] 1. ` + "`Say hello`" + `: 5 attempts, reviewed, changes made, conflicts resolved, begun 2 times, $1.00
- [ ] 2. ` + "`Say it 'aloud'`" + `: left out
- [x] 3. ` + "`Say it twice`" + `: done before
- [x] 5. ` + "`" + strings.Repeat("s", 197) + "…`" + `: 2 attempts, reviewed
- [x] Asked for later: ` + "`" + strings.Repeat("w", 197) + "…`" + `: 1 attempts, not reviewed, at least $0.50

Verified on each branch and again on each merge: ` + "`command: make test`, `command: make lint`" + `

Cost: $0.00, tokens unknown, 9 attempts in all.
`
	if diff := cmp.Diff(want, description(run, nil)); diff != "" {
		t.Error(diff)
	}
}

// TestDescriptionOfAManagersWork lists what it had others do, and not what the engine did for it.
func TestDescriptionOfAManagersWork(t *testing.T) {
	run := &core.Run{
		Goal: "Greet", Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{{ID: "1", Title: "Say hello", Done: true}, {ID: "2", Title: "Later"}}}},
		Playbook: &core.Playbook{Kind: "manager", Project: &core.Management{Roles: map[core.TaskKind]string{core.KindManage: "manager"}}},
		Managing: core.Managing{Delegations: []*core.Delegation{
			{ID: "t1", Status: core.DelegationDone, Proposal: core.Proposal{Kind: core.KindCode, Title: strings.Repeat("t", 201)}},
			{ID: "t2", Status: core.DelegationDone, Proposal: core.Proposal{Kind: core.KindMerge, Line: "greeting"}},
			{ID: "t3", Status: core.DelegationRefused, Proposal: core.Proposal{Kind: core.KindCode, Title: "Say it in Latin"}},
			{ID: "t4", Status: core.DelegationDone, Proposal: core.Proposal{Kind: core.KindReview, Prompt: "Read @it\nclosely"}},
		}},
		SentBack: []core.SentBack{{By: core.Actor{Kind: core.ActorPerson, ID: "ada"}, From: "step-1", To: core.ManagerStage}},
	}
	want := `Greet

## Steps

- [x] 1. ` + "`Say hello`" + `

## Work

- t1: ` + "`" + strings.Repeat("t", 197) + "…`" + `
- t4: ` + "`Read @it`" + `

## Sent back

- step-1 asked for changes of manager
  - the manager's answer

Cost: $0.00, tokens unknown, 0 attempts in all.
`
	if diff := cmp.Diff(want, description(run, nil)); diff != "" {
		t.Error(diff)
	}
	run.Managing.Delegations = run.Managing.Delegations[1:3]
	if got := description(run, nil); strings.Contains(got, "## Work") {
		t.Errorf("without any:\n%s", got)
	}
}

// TestDescriptionOfPhases has what each was verified by and what was handed in, line for line.
func TestDescriptionOfPhases(t *testing.T) {
	finding := []core.Finding{{Issue: "too long"}}
	review := func(status core.ReviewStatus) *core.Attempt {
		return &core.Attempt{Verdict: core.VerdictPassed, Review: &core.Review{Status: status, Findings: finding}}
	}
	run := &core.Run{
		Goal: "Greet", Playbook: &core.Playbook{Kind: "phases"},
		Stages: []*core.Stage{
			{ID: "plan", Status: core.StageDone, Round: 1, Tasks: []*core.Task{{ID: "plan.r1", Requested: 1, Attempts: []*core.Attempt{{
				Results:  []core.CheckResult{{Check: "command: a | b"}, {Check: "files: plan.md"}},
				Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "plan.md"}, {Name: "risks.md"}}},
			}}}}},
			{ID: "build", Status: core.StageDone, Round: 1, Tasks: []*core.Task{{ID: "build.r1", Requested: 2, Attempts: []*core.Attempt{{Delivery: &core.Delivery{}}}}}},
			{ID: "review", Status: core.StageDone, Round: 1, Tasks: []*core.Task{{ID: "review.r1", Requested: 1, Attempts: []*core.Attempt{review(core.ReviewApproved)}}}},
			{ID: "again", Status: core.StageDone, Round: 1, Tasks: []*core.Task{{ID: "again.r1", Requested: 1, Attempts: []*core.Attempt{review(core.ReviewChangesRequested)}}}},
			{ID: "open", Status: core.StageOpen, Round: 1, Tasks: []*core.Task{{ID: "open.r1", Requested: 1, Attempts: []*core.Attempt{review(core.ReviewApproved)}}}},
		},
		SentBefore: 1, SentBack: []core.SentBack{{By: core.Actor{Kind: core.ActorDecider}, From: "again", To: "build", More: 1}},
	}
	want := `Greet

| stage | rounds | attempts in the last round | verified by | approved by |
|---|---|---|---|---|
| plan | 1 | 1 | ` + "`command: a \\| b`<br>`files: plan.md`" + ` |  |
| build | 1 | 2 |  |  |
| review | 1 | 1 |  |  |
| again | 1 | 1 |  |  |

What was planned and done:

- plan.r1; documents: ` + "`plan.md`, `risks.md`" + `

## Sent back

Before these, 1 more.

- again to build, as the playbook says
  - and 1 more
  - not done

Remarks of review, which approved:

- ` + "`too long`" + `

Open findings of again, approved as they are by :

- ` + "`too long`" + `

Cost: $0.00, tokens unknown, 0 attempts in all.
`
	if diff := cmp.Diff(want, description(run, nil)); diff != "" {
		t.Error(diff)
	}
}
