package phases_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// worked is a task whose one attempt was verified.
func worked(status core.TaskStatus, rejected ...string) *core.Task {
	return &core.Task{ID: "docs.r1", Status: status, Limit: 1, Attempts: []*core.Attempt{
		{ID: "docs.r1.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: &core.Delivery{Rejected: rejected}},
	}}
}

// TestWhatAPersonIsToldAtAGate: that nothing held the agents, that a team was
// incomplete, what the change touches, and what was not taken over, each where it is so.
func TestWhatAPersonIsToldAtAGate(t *testing.T) {
	prepared := &core.Task{ID: "docs.r1", Act: core.ActPullRequest, Status: core.TaskDelivered, Prepared: &core.PublishPrepared{Notices: []string{"changes CLAUDE.md"}}}
	for name, c := range map[string]struct {
		phase     core.Phase
		isolation string
		stage     core.Stage
		want      []string
	}{
		"nothing":          {core.Phase{Gate: core.GateApproval}, "sandbox", core.Stage{Tasks: []*core.Task{worked(core.TaskDone)}}, nil},
		"not isolated":     {core.Phase{Gate: core.GateApproval}, "none", core.Stage{Tasks: []*core.Task{worked(core.TaskDone)}}, []string{"unenforced: this run's agents are not isolated"}},
		"a part of a team": {core.Phase{Gate: core.GateApproval}, "sandbox", core.Stage{Reduced: "dev alone", Tasks: []*core.Task{worked(core.TaskDone)}}, []string{"dev alone"}},
		"not taken over":   {core.Phase{Gate: core.GateApproval}, "sandbox", core.Stage{Tasks: []*core.Task{worked(core.TaskDone, "a link")}}, []string{"docs.r1: not accepted: a link"}},
		"protected paths":  {core.Phase{Gate: core.GateApproval, Act: core.ActPullRequest}, "sandbox", core.Stage{Tasks: []*core.Task{prepared}}, []string{"changes CLAUDE.md"}},
		"an act is always asked about": {core.Phase{Gate: core.GateAuto, Act: core.ActPullRequest}, "none", core.Stage{Tasks: []*core.Task{prepared}},
			[]string{"unenforced: this run's agents are not isolated", "changes CLAUDE.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.stage.Status = core.StageOpen
			r := at(c.phase, c.stage)
			r.Isolation = c.isolation
			bodies := (phases.Decider{}).Decide(r)
			if len(bodies) != 1 {
				t.Fatalf("decided %+v", bodies)
			}
			asked, ok := bodies[0].(core.ApprovalRequested)
			if diff := cmp.Diff(c.want, asked.Notices); !ok || diff != "" {
				t.Errorf("decided %+v\n%s", bodies[0], diff)
			}
		})
	}
}

// TestNothingPassesWithoutItsApproval: a gate that nobody answered holds, and what
// was approved is done before the stage passes.
func TestNothingPassesWithoutItsApproval(t *testing.T) {
	subject := core.Subject{Stage: "docs", Round: 1, Commit: "c1"}
	publish := core.PublishRequested{Task: "docs.r1", Subject: subject, Title: "feat: add x"}
	passes := core.StagePassed{Stage: "docs", Round: 1, Commit: "c1"}
	act := func(status core.TaskStatus) *core.Task {
		return &core.Task{ID: "docs.r1", Act: core.ActPullRequest, Status: status}
	}
	for name, c := range map[string]struct {
		gate *core.Gate
		task *core.Task
		want core.Body
	}{
		"nobody asked":            {nil, worked(core.TaskDone), nil},
		"not answered":            {&core.Gate{Subject: subject}, worked(core.TaskDone), nil},
		"approved":                {&core.Gate{Subject: subject, Approved: true}, worked(core.TaskDone), passes},
		"an act, not answered":    {&core.Gate{Subject: subject}, act(core.TaskDelivered), nil},
		"an act, approved":        {&core.Gate{Subject: subject, Approved: true}, act(core.TaskDelivered), publish},
		"an act, under way":       {&core.Gate{Subject: subject, Approved: true}, act(core.TaskVerifying), nil},
		"an act, done":            {&core.Gate{Subject: subject, Approved: true}, act(core.TaskDone), passes},
		"no act is to be done":    {&core.Gate{Subject: subject, Approved: true}, worked(core.TaskDelivered), nil},
		"work that is not done":   {&core.Gate{Subject: subject, Approved: true}, worked(core.TaskRunning), nil},
		"no task that could pass": {&core.Gate{Subject: subject, Approved: true}, worked(core.TaskDropped), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got core.Body
			bodies := (phases.Decider{}).Decide(at(core.Phase{}, core.Stage{Status: core.StageGated, Gate: c.gate, Tasks: []*core.Task{c.task}}))
			if len(bodies) > 0 {
				got = bodies[0]
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(bodies) > 1 {
				t.Errorf("decided %+v\n%s", bodies, diff)
			}
		})
	}
}

// TestATeamWhoseMemberIsSpent: the others work on, and nobody is asked before they
// have ended; then one goes on alone with the stage's inputs and what they handed in.
// Without a stand-in, and where one is at work already, a person is asked at once, and of nothing else.
func TestATeamWhoseMemberIsSpent(t *testing.T) {
	spent := func() *core.Task {
		return &core.Task{ID: "docs.r1.a", Name: "a", Status: core.TaskWaiting, Limit: 1, Counted: 1}
	}
	hub := func() *core.Task {
		return &core.Task{ID: "docs.r1.hub", Name: "hub", Status: core.TaskWaiting, Limit: 1, DependsOn: []string{"docs.r1.a", "docs.r1.dev"}}
	}
	other := func(status core.TaskStatus) *core.Task {
		handedIn := &core.Delivery{Artifacts: []core.Artifact{{Name: "docs-dev.md", Digest: "d"}}}
		return &core.Task{ID: "docs.r1.dev", Name: "dev", Status: status, Limit: 1, Outputs: []string{"docs-dev.md"}, Attempts: []*core.Attempt{
			{ID: "docs.r1.dev.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: handedIn},
		}}
	}
	pauses, reduces := []core.Type{core.TypeRunPaused}, []core.Type{core.TypeTeamReduced, core.TypeTaskAdmitted}
	for name, c := range map[string]struct {
		fallback, reduced string
		other             core.TaskStatus
		want              []core.Type
	}{
		"the other is at work":            {"dev", "", core.TaskRunning, nil},
		"the other delivered":             {"dev", "", core.TaskDelivered, []core.Type{core.TypeVerifyRequested}},
		"the other is done":               {"dev", "", core.TaskDone, reduces},
		"no stand-in, the other at work":  {"", "", core.TaskRunning, pauses},
		"no stand-in, the other to check": {"", "", core.TaskDelivered, pauses},
		"one stood in before":             {"dev", "dev alone", core.TaskDone, pauses},
	} {
		t.Run(name, func(t *testing.T) {
			p := core.Phase{Inputs: []core.Input{{Name: "notes.md", Optional: true}}, Team: &core.Team{Hub: "dev", Spokes: []string{"a", "dev"}, Fallback: c.fallback}}
			tasks := []*core.Task{other(c.other), spent(), hub()}
			var got []core.Type
			bodies := (phases.Decider{}).Decide(at(p, core.Stage{Status: core.StageOpen, Reduced: c.reduced, Tasks: tasks}))
			for _, b := range bodies {
				got = append(got, core.TypeOf(b))
				if alone, ok := b.(core.TaskAdmitted); ok {
					if diff := cmp.Diff([]core.Input{{Name: "notes.md", Optional: true}, {Name: "docs-dev.md"}}, alone.Inputs); diff != "" {
						t.Errorf("who goes on alone reads:\n%s", diff)
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decided %+v\n%s", bodies, diff)
			}
		})
	}
}
