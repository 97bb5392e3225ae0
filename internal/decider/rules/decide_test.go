package rules

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// planner is the stage in which a plan is written.
func planner(status core.StageStatus, change func(s *core.Stage)) *core.Stage {
	written := &core.Task{ID: "plan.r1", Kind: core.KindPlan, Status: core.TaskDone, Outputs: []string{"plan.md"}, Attempts: []*core.Attempt{
		{ID: "plan.r1.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "plan.md", Digest: "d1"}}}},
	}}
	s := &core.Stage{ID: core.PlanStage, Status: status, Round: 1, Tasks: []*core.Task{written}}
	change(s)
	return s
}

// TestThePlanComesFirst: it is written where there is none with open steps, passes
// as the playbook says, is committed, and only then followed.
func TestThePlanComesFirst(t *testing.T) {
	as := func(*core.Stage) {}
	begins, writes := []string{"StageOpened step-1 advance"}, []string{"StageOpened plan advance", "TaskAdmitted "}
	takes, asks := []string{"PlanWriteRequested d1: the steps of add x"}, []string{"ApprovalRequested"}
	for name, c := range map[string]struct {
		stage  *core.Stage
		change func(r *core.Run)
		want   []string
	}{
		"it is being looked for":           {nil, func(r *core.Run) { r.Driving.Plan = nil }, nil},
		"a person's":                       {nil, func(*core.Run) {}, begins},
		"it cannot be followed":            {nil, func(r *core.Run) { r.Driving.Plan.Trouble = "step 2 comes after itself" }, []string{"RunPaused input: the plan cannot be followed: step 2 comes after itself"}},
		"none":                             {nil, func(r *core.Run) { r.Driving.Plan.Steps = nil }, writes},
		"none, and work was delegated":     {nil, func(r *core.Run) { r.Driving.Plan.Steps, r.Managing.Delegated = nil, 1 }, writes},
		"worked off before":                {nil, func(r *core.Run) { r.Driving.Plan.Steps[0].Done = true }, writes},
		"worked off by what was delegated": {nil, func(r *core.Run) { r.Driving.Plan.Steps[0].Done, r.Managing.Delegated = true, 1 }, []string{"StageOpened publish advance", "TaskAdmitted "}},
		"worked off here":                  {&core.Stage{ID: "step-1", Status: core.StageDone}, func(r *core.Run) { r.Driving.Plan.Steps[0].Done = true }, []string{"StageOpened publish advance", "TaskAdmitted "}},
		"none, and nobody writes one": {nil, func(r *core.Run) { r.Driving.Plan.Steps, r.Playbook.Project.Roles = nil, nil },
			[]string{"RunPaused input: there is no .ai/plan.md with open steps on main, and the playbook names nobody who writes one"}},
		"wanted otherwise":           {planner(core.StageStale, func(s *core.Stage) { s.Next = &core.Reopen{Reason: core.OpenFeedback} }), func(*core.Run) {}, []string{"StageOpened plan feedback", "TaskAdmitted "}},
		"wanted anew":                {planner(core.StageStale, as), func(*core.Run) {}, writes},
		"written":                    {planner(core.StageOpen, as), func(*core.Run) {}, []string{"StagePassed plan"}},
		"written, a person is asked": {planner(core.StageOpen, as), func(r *core.Run) { r.Playbook.Project.PlanGate = core.GateApproval }, asks},
		"not answered":               {planner(core.StageGated, func(s *core.Stage) { s.Gate = &core.Gate{} }), func(*core.Run) {}, nil},
		"nobody was asked":           {planner(core.StageGated, as), func(*core.Run) {}, nil},
		"approved":                   {planner(core.StageGated, func(s *core.Stage) { s.Gate = &core.Gate{Approved: true} }), func(*core.Run) {}, []string{"StagePassed plan"}},
		"passed":                     {planner(core.StageDone, as), func(*core.Run) {}, takes},
		"passed, while it moves":     {planner(core.StageDone, as), func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }, nil},
		"passed without a document":  {planner(core.StageDone, func(s *core.Stage) { s.Tasks = nil }), func(*core.Run) {}, nil},
		"committed":                  {planner(core.StageDone, func(s *core.Stage) { s.Merged = "c3" }), func(*core.Run) {}, begins},
	} {
		t.Run(name, func(t *testing.T) {
			r := project(c.stage)
			c.change(r)
			if diff := cmp.Diff(c.want, outline((Decider{}).Decide(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhichStepsAreBegun: those whose predecessors are merged, left out or not of
// this plan; none that was done before. What people want changed is begun as well,
// each with a stage of its own.
func TestWhichStepsAreBegun(t *testing.T) {
	stage := func(id string, status core.StageStatus) *core.Stage {
		return &core.Stage{ID: id, Status: status, Round: 1}
	}
	after := func(ids ...string) core.Step { return core.Step{ID: "2", After: ids} }
	first, second, both := []string{"StageOpened step-1 advance"}, []string{"StageOpened step-2 advance"}, []string{"StageOpened step-1 advance", "StageOpened step-2 advance"}
	for name, c := range map[string]struct {
		done    bool // the first step is marked
		second  core.Step
		stages  []*core.Stage
		changes []core.Changes
		asked   int
		want    []string
	}{
		"one after the other":      {second: after("1"), want: first},
		"at once":                  {second: after(), want: both},
		"after what there is not":  {second: after("9"), want: both},
		"the first was done":       {done: true, second: after("1"), want: second},
		"the first is merged":      {second: after("1"), stages: []*core.Stage{stage("step-1", core.StageDone)}, want: second},
		"the first is left out":    {second: after("1"), stages: []*core.Stage{stage("step-1", core.StageOmitted)}, want: second},
		"the first is at its gate": {second: after("1"), stages: []*core.Stage{stage("step-1", core.StageGated)}},
		"the first again":          {second: after("1"), stages: []*core.Stage{stage("step-1", core.StageStale)}, want: first},
		"marked, and again":        {done: true, second: core.Step{ID: "2", Done: true}, stages: []*core.Stage{stage("step-1", core.StageStale)}, want: first},
		"what people want": {done: true, second: core.Step{ID: "2", Done: true}, changes: []core.Changes{{ID: "w2"}, {ID: "w3"}}, asked: 3,
			want: []string{"StageOpened change-2 advance w2", "StageOpened change-3 advance w3"}},
		"what people wanted, again": {done: true, second: core.Step{ID: "2", Done: true},
			stages: []*core.Stage{{ID: "change-1", Status: core.StageStale, Wish: &core.Changes{ID: "w1"}}}, want: []string{"StageOpened change-1 advance"}},
		"what people wanted, under way": {done: true, second: core.Step{ID: "2", Done: true},
			stages: []*core.Stage{{ID: "change-1", Status: core.StageOpen, Wish: &core.Changes{ID: "w1"}}}, want: []string{"TaskAdmitted code"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := project(nil)
			r.Driving.Plan.Steps = []core.Step{{ID: "1", Done: c.done}, c.second}
			r.Stages, r.Driving.Changes = c.stages, c.changes
			for range c.asked {
				r.Driving.Asked = append(r.Driving.Asked, "w")
			}
			if diff := cmp.Diff(c.want, outline(stages(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatIsPublished: everything, once it is merged and marked; and again only where
// there is more of it.
func TestWhatIsPublished(t *testing.T) {
	publishes := []string{"StageOpened publish advance", "TaskAdmitted "}
	done := func(r *core.Run) { r.Driving.Plan.Steps[0].Done = true }
	with := func(status core.StageStatus, change func(s *core.Stage)) func(r *core.Run) {
		return func(r *core.Run) {
			done(r)
			s := &core.Stage{ID: core.PublishStage, Status: status, Round: 1, Tasks: []*core.Task{{ID: "publish.r1", Act: core.ActPullRequest, Status: core.TaskWaiting}}}
			change(s)
			r.Stages = append(r.Stages, s)
		}
	}
	for name, c := range map[string]struct {
		step   core.StageStatus
		change func(r *core.Run)
		want   []string
	}{
		"merged and marked":          {core.StageDone, done, publishes},
		"merged, not marked":         {core.StageDone, func(*core.Run) {}, []string{"PlanWriteRequested 1: done: 1"}},
		"not marked, while it moves": {core.StageDone, func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }, nil},
		"left out":                   {core.StageOmitted, func(*core.Run) {}, publishes},
		"at its gate":                {core.StageGated, func(*core.Run) {}, nil},
		"marked, but done again":     {core.StageGated, done, nil},
		"changes are wanted": {core.StageDone, func(r *core.Run) {
			done(r)
			r.Driving.Changes = []core.Changes{{ID: "w1"}}
			r.Driving.Asked = []string{"w1"}
		}, []string{"StageOpened change-1 advance w1"}},
		"while the branch moves":     {core.StageDone, func(r *core.Run) { done(r); r.Driving.PlanWrite = &core.PlanWrite{} }, nil},
		"published already":          {core.StageDone, func(r *core.Run) { done(r); r.PullRequest = &core.PullRequest{Commit: "c5"} }, []string{"ReviewAwaited"}},
		"published, and more merged": {core.StageDone, func(r *core.Run) { done(r); r.PullRequest = &core.PullRequest{Commit: "c4"} }, publishes},
		"to be prepared":             {core.StageDone, with(core.StageOpen, func(*core.Stage) {}), []string{"VerifyRequested"}},
		"approved": {core.StageDone, with(core.StageGated, func(s *core.Stage) { s.Gate = &core.Gate{Approved: true}; s.Tasks[0].Status = core.TaskDelivered }),
			[]string{"PublishRequested"}},
		"it met trouble": {core.StageDone, with(core.StageOpen, func(s *core.Stage) { s.Trouble = "the push was declined" }), []string{"RunPaused publish: the push was declined"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := project(&core.Stage{ID: "step-1", Status: c.step, Round: 1})
			c.change(r)
			if diff := cmp.Diff(c.want, outline((Decider{}).Decide(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
