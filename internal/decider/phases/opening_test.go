package phases_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// at is a run whose second stage is to be decided about, with all before it done.
func at(p core.Phase, s core.Stage) *core.Run {
	p.ID, s.ID, s.Round = "docs", "docs", max(s.Round, 1)
	plan := &core.Gate{Event: "e1", Approved: true, Skips: []core.SkipProposal{{Stage: "docs", Reason: "none needed"}}}
	return &core.Run{
		Alias: "r", Title: "add x", Status: core.StatusActive, Limits: core.DefaultLimits(), Head: "c1", Isolation: "sandbox",
		Playbook: &core.Playbook{
			Kind: "phases", Roles: map[string]core.Role{"dev": {}, "a": {}},
			Phases: []core.Phase{{ID: "plan", Outputs: []string{core.PlanArtifact}}, p},
		},
		Stages: []*core.Stage{{ID: "plan", Status: core.StageDone, Gate: plan}, &s},
	}
}

// TestWhetherAStageIsBegun: the playbook, an approved plan or a condition leaves a
// stage out; whoever sends the run back to a stage has it done all the same. What is
// redone for what came before it is asked about as before.
func TestWhetherAStageIsBegun(t *testing.T) {
	yes, no := true, false
	insists, redone := &core.Reopen{Reason: core.OpenRollback}, &core.Reopen{Reason: core.OpenRedo}
	skip := func(source core.SkipSource, reason string) core.Body {
		s := core.StageSkipped{Stage: "docs", Source: source, Reason: reason}
		if source == core.SkipPlan {
			s.Plan = "e1"
		}
		return s
	}
	begins := func(reason core.OpenReason) core.Body {
		return core.StageOpened{Stage: "docs", Round: 2, Reason: reason, Base: "c1"}
	}
	asks := core.ConditionRequested{Stage: "docs"}
	left, plan, when := core.Phase{Role: "dev", Skip: true}, core.Phase{Role: "dev", Skippable: true}, core.Phase{Role: "dev", When: "go-code"}
	for name, c := range map[string]struct {
		phase core.Phase
		stage core.Stage
		want  core.Body
	}{
		"nothing leaves it out":               {core.Phase{Role: "dev"}, core.Stage{}, begins(core.OpenAdvance)},
		"nothing leaves it out, again":        {core.Phase{Role: "dev"}, core.Stage{Status: core.StageStale, Next: redone}, begins(core.OpenRedo)},
		"an old answer, no condition now":     {core.Phase{Role: "dev"}, core.Stage{Asked: true, Condition: &no}, begins(core.OpenAdvance)},
		"the playbook":                        {left, core.Stage{}, skip(core.SkipPlaybook, "")},
		"the playbook, redone":                {left, core.Stage{Status: core.StageStale, Next: redone}, skip(core.SkipPlaybook, "")},
		"the playbook, somebody insists":      {left, core.Stage{Status: core.StageStale, Next: insists}, begins(core.OpenRollback)},
		"a plan":                              {plan, core.Stage{}, skip(core.SkipPlan, "none needed")},
		"a plan, somebody insists":            {plan, core.Stage{Status: core.StageStale, Next: insists}, begins(core.OpenRollback)},
		"a condition, not asked for":          {when, core.Stage{}, asks},
		"a condition, asked for":              {when, core.Stage{Asked: true}, nil},
		"a condition, met":                    {when, core.Stage{Condition: &yes}, begins(core.OpenAdvance)},
		"a condition, not met":                {when, core.Stage{Condition: &no}, skip(core.SkipWhen, "not when go-code")},
		"a condition, redone":                 {when, core.Stage{Status: core.StageStale, Next: redone}, asks},
		"a condition, somebody insists":       {when, core.Stage{Status: core.StageStale, Next: insists}, begins(core.OpenRollback)},
		"a condition not met, but insisted":   {when, core.Stage{Status: core.StageStale, Next: insists, Condition: &no}, begins(core.OpenRollback)},
		"a plan before a condition":           {core.Phase{Role: "dev", Skippable: true, When: "go-code"}, core.Stage{Condition: &yes}, skip(core.SkipPlan, "none needed")},
		"the engine's word before a decision": {when, core.Stage{Trouble: "no such program"}, core.RunPaused{Code: core.PauseCondition, Stage: "docs", Reason: "its condition could not be evaluated: no such program", Advice: can(core.VerbSkip, core.VerbResume)}},
		"what was not published": {core.Phase{Act: core.ActPullRequest}, core.Stage{Status: core.StageGated, Trouble: "the push was declined"},
			core.RunPaused{Code: core.PausePublish, Stage: "docs", Reason: "the push was declined", Advice: can(core.VerbResume, core.VerbRollback)}},
		"what could not be prepared": {core.Phase{Act: core.ActPullRequest}, core.Stage{Status: core.StageOpen, Trouble: "the base is gone"},
			core.RunPaused{Code: core.PausePublish, Stage: "docs", Reason: "the base is gone", Advice: can(core.VerbResume, core.VerbRollback)}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.stage.Status == "" {
				c.stage.Status = core.StagePending
			}
			var got core.Body
			bodies := (phases.Decider{}).Decide(at(c.phase, c.stage))
			if len(bodies) > 0 {
				got = bodies[0]
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if _, opened := got.(core.StageOpened); opened != (len(bodies) > 1) {
				t.Errorf("decided %+v", bodies)
			}
		})
	}
}

// TestWhatIsLookedAtFirst: only where the playbook says so, of what the tree alone
// can answer, and where nobody asked for the round.
func TestWhatIsLookedAtFirst(t *testing.T) {
	tree, handedIn := core.Check{Kind: core.CheckCommand, Run: "make"}, core.Check{Kind: core.CheckArtifact, Name: "x"}
	for name, c := range map[string]struct {
		phase  core.Phase
		reason core.OpenReason
		want   bool
	}{
		"asked for":         {core.Phase{VerifyFirst: true, Done: tree}, core.OpenAdvance, true},
		"redone":            {core.Phase{VerifyFirst: true, Done: tree}, core.OpenRedo, true},
		"not asked for":     {core.Phase{Done: tree}, core.OpenAdvance, false},
		"a document":        {core.Phase{VerifyFirst: true, Done: handedIn}, core.OpenAdvance, false},
		"a person wants it": {core.Phase{VerifyFirst: true, Done: tree}, core.OpenRollback, false},
		"feedback":          {core.Phase{VerifyFirst: true, Done: tree}, core.OpenFeedback, false},
	} {
		c.phase.Role = "dev"
		bodies := (phases.Decider{}).Decide(at(c.phase, core.Stage{Status: core.StageStale, Next: &core.Reopen{Reason: c.reason}}))
		if len(bodies) != 2 {
			t.Fatalf("%s: decided %+v", name, bodies)
		}
		if task, ok := bodies[1].(core.TaskAdmitted); !ok || task.VerifyFirst != c.want {
			t.Errorf("%s: admitted %+v", name, bodies[1])
		}
	}
}

// TestWhatATeamIsAsked: each specialist for a document of their own, and who
// consolidates for the stage's work, with its inputs and all of theirs.
func TestWhatATeamIsAsked(t *testing.T) {
	p := core.Phase{
		Writes: core.WritesCode, Outputs: []string{"docs.md"}, Done: core.Check{Kind: core.CheckCommand, Run: "make"},
		Inputs: []core.Input{{Name: "notes.md", Optional: true}}, Team: &core.Team{Hub: "dev", Spokes: []string{"a", "dev"}},
	}
	specialist := func(name string) core.TaskAdmitted {
		doc := "docs-" + name + ".md"
		return core.TaskAdmitted{Task: "docs.r2." + name, Stage: "docs", Round: 2, Name: name, Role: name, Writes: core.WritesArtifacts,
			Inputs: p.Inputs, Outputs: []string{doc}, Done: core.Check{Kind: core.CheckArtifact, Name: doc}}
	}
	want := []core.Body{
		core.StageOpened{Stage: "docs", Round: 2, Reason: core.OpenAdvance, Base: "c1"}, specialist("a"), specialist("dev"),
		core.TaskAdmitted{Task: "docs.r2.hub", Stage: "docs", Round: 2, Name: "hub", Role: "dev", Writes: core.WritesCode, Outputs: p.Outputs, Done: p.Done,
			Inputs: []core.Input{p.Inputs[0], {Name: "docs-a.md"}, {Name: "docs-dev.md"}}, DependsOn: []string{"docs.r2.a", "docs.r2.dev"}},
	}
	if diff := cmp.Diff(want, (phases.Decider{}).Decide(at(p, core.Stage{Status: core.StagePending}))); diff != "" {
		t.Error(diff)
	}
}

func can(verbs ...core.Verb) core.Advice {
	r := &core.Run{Alias: "r"}
	return core.Advice{Choices: r.Choices(verbs...)}
}
