package dispatch

import (
	"fmt"
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
	got := description(run, nil)
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
		},
		{ID: "review", Status: core.StageDone, Round: 2, Tasks: []*core.Task{review}},
	}, SentBefore: 3, SentBack: []core.SentBack{
		{By: core.Actor{Kind: core.ActorPerson, ID: "ada"}, From: "plan", To: "plan", Text: "for @team, too", Round: 2, Said: "Done `so`"},
		{By: core.Actor{Kind: core.ActorDecider}, From: "review", To: "build", Findings: []core.Finding{{File: "a.go", Issue: "empty names crash"}, {Issue: "slow"}}, More: 4, Round: 2},
		{By: core.Actor{Kind: core.ActorPerson, ID: "ada"}, From: "review", To: "docs", Text: "more words", Left: true},
		{By: core.Actor{Kind: core.ActorPerson, ID: "ada"}, From: "review", To: "build", Text: "later"},
	}}
	got := description(run, []byte("# Plan\n\n```\n</details>\n```\n"))
	for _, want := range []string{
		"- plan.r1: its agent says `Two steps 'x' @team`; documents: `plan.md`\n", "- build.r2: its agent says `Handles the empty name`\n",
		"## Sent back\n\nBefore these, 3 more.\n\n- plan, by person ada: `for @team, too`\n  - done and verified in round 2 of plan; its agent says `Done 'so'`\n",
		"- review to build, as the playbook says\n  - `a.go: empty names crash`\n  - `slow`\n  - and 4 more\n  - done and verified in round 2 of build\n",
		"- review to docs, by person ada: `more words`\n  - given up\n- review to build, by person ada: `later`\n  - not done\n",
		"<summary>The plan</summary>\n\n````text\n# Plan\n\n```\n</details>\n```\n````\n\n</details>\n",
		"Remarks of review, which approved:\n\n- `b.go: could be shorter`\n", "Cost: unknown, tokens unknown, 3 attempts in all.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	run.Usage = core.Usage{CostUSD: 0.25, InputTokens: 10}
	if got := description(run, nil); !strings.Contains(got, "Cost: at least $0.25, 10 tokens,") {
		t.Error(got)
	}
}

// The pull request of a project says what was done and sent back as that of phases does.
func TestDescriptionOfAProjectSaysWhatWasDone(t *testing.T) {
	run := &core.Run{
		Goal: "Greet", Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{{ID: "1", Title: "Say hello"}}}},
		Playbook: &core.Playbook{Kind: "rules", Project: &core.Management{}},
		Stages: []*core.Stage{{ID: "step-1", Status: core.StageDone, Round: 2, Tasks: []*core.Task{
			{ID: "step-1.r2.code", Kind: core.KindCode, Attempts: []*core.Attempt{{Summary: "Greets quietly", Delivery: &core.Delivery{}}}},
		}}},
		SentBack: []core.SentBack{
			{By: core.Engine(), From: "step-1.r1.review", To: "step-1", Text: "too loud", Round: 2},
			{By: core.Engine(), From: "@eve on the forge", Wish: "9", To: core.ManagerStage, Text: "in German", Said: "delegate t3: German"},
		},
	}
	got := description(run, nil)
	for _, want := range []string{
		"- [x] 1. `Say hello`:", "- step-1.r2.code: its agent says `Greets quietly`\n",
		"- step-1.r1.review asked for changes of step-1: `too loud`\n  - done and verified in round 2 of step-1\n",
		"- Changes asked for by `@eve on the forge`: `in German`\n  - the manager's answer: `delegate t3: German`\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// However much there is to say, a forge takes it, and what a reviewer must know is in it.
func TestDescriptionFitsAForge(t *testing.T) {
	long := strings.Repeat("much to say @all `", 600)
	run := &core.Run{Goal: long, Isolation: "none", Playbook: &core.Playbook{Kind: "phases"}}
	for i := range 300 {
		id := fmt.Sprintf("stage-%d", i)
		run.Stages = append(run.Stages, &core.Stage{ID: id, Status: core.StageDone, Tasks: []*core.Task{
			{ID: id + ".r1", Attempts: []*core.Attempt{{Summary: long, Delivery: &core.Delivery{}}}},
		}})
		run.SentBack = append(run.SentBack, core.SentBack{From: id, To: id, Text: long})
	}
	got := description(run, []byte(long))
	if len(got) > 65_536 || !strings.HasSuffix(got, "Cost: $0.00, tokens unknown, 0 attempts in all.\n\n**Unenforced**: the agents of this run were not isolated.\n") {
		t.Errorf("%d bytes, ending in %q", len(got), got[max(len(got)-200, 0):])
	}
	if !strings.Contains(got, "[… the rest is left out]") || strings.Contains(got, "<details>") {
		t.Error("a text that was cut does not say so, or has the plan all the same")
	}
}

// The plan is what the first phase hands in as prose and a later one is given.
func TestThePlanOfARun(t *testing.T) {
	doc := func(name string) core.Artifact { return core.Artifact{Name: name, Digest: "of " + name} }
	stage := func(id string, names ...string) *core.Stage {
		task := &core.Task{ID: id + ".r1", Status: core.TaskDone, Outputs: names, Attempts: []*core.Attempt{{Delivery: &core.Delivery{}}}}
		for _, name := range names {
			task.Attempts[0].Delivery.Artifacts = append(task.Attempts[0].Delivery.Artifacts, doc(name))
		}
		return &core.Stage{ID: id, Status: core.StageDone, Tasks: []*core.Task{task}}
	}
	phases := func(first core.Phase) *core.Run {
		return &core.Run{
			Playbook: &core.Playbook{Kind: "phases", Phases: []core.Phase{first, {ID: "build", Writes: core.WritesCode, Inputs: []core.Input{{Name: "spec.md"}}}}},
			Stages:   []*core.Stage{stage(first.ID, first.Outputs...), stage("build")},
		}
	}
	cases := map[string]struct {
		run  *core.Run
		want string
	}{
		"prose that is given":  {phases(core.Phase{ID: "p", Outputs: []string{"plan.json", "spec.md"}}), "of spec.md"},
		"prose for nobody":     {phases(core.Phase{ID: "p", Outputs: []string{"notes.md"}}), ""},
		"a phase that codes":   {phases(core.Phase{ID: "p", Writes: core.WritesCode, Outputs: []string{"spec.md"}}), ""},
		"a project's":          {&core.Run{Playbook: &core.Playbook{Project: &core.Management{}}, Driving: core.Driving{Plan: &core.Plan{Digest: "d"}}}, "d"},
		"a project without":    {&core.Run{Playbook: &core.Playbook{Project: &core.Management{}}, Driving: core.Driving{Plan: &core.Plan{}}}, ""},
		"waves, wave for wave": {&core.Run{Playbook: &core.Playbook{Project: &core.Management{Waves: &core.WaveRules{}}}, Driving: core.Driving{Plan: &core.Plan{Digest: "d"}}}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if a := planOf(c.run); a != nil {
				got = a.Digest
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
