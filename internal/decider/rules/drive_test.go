package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// project is a run of a plan with one step, whose stage has these tasks.
func project(s *core.Stage) *core.Run {
	r := &core.Run{
		Alias: "r", Title: "add x", Status: core.StatusActive, Limits: core.DefaultLimits(), Base: "main", Head: "c5", Verified: "c5", Branch: "feature/x",
		Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{{ID: "1", Title: "The API"}}}},
		Playbook: &core.Playbook{Kind: "rules", Roles: map[string]core.Role{"dev": {}, "critic": {}}, Project: &core.Management{
			Roles: map[core.TaskKind]string{
				core.KindPlan: "dev", core.KindCode: "dev", core.KindReview: "critic", core.KindFix: "dev", core.KindResolve: "dev",
			},
			Review: core.ReviewRule{When: core.ReviewAlways}, Attempts: 2, Rounds: 2,
		}},
	}
	if s != nil {
		r.Stages = []*core.Stage{s}
	}
	return r
}

// step is the stage of the plan's step.
func step(tasks ...*core.Task) *core.Stage {
	return &core.Stage{ID: "step-1", Title: "The API", Status: core.StageOpen, Round: 1, Branch: "feature/x-step-1-1", Line: "c2", Base: "c1", Tasks: tasks}
}

func ended(kind core.TaskKind, status core.TaskStatus) *core.Task {
	t := &core.Task{ID: "t", Kind: kind, Status: status, Limit: 2, Attempts: []*core.Attempt{{ID: "t.a1", Status: core.AttemptEnded}}}
	if kind == core.KindMerge {
		t.Act, t.Limit, t.Attempts = core.ActMerge, 0, nil
	}
	return t
}

func judged(status core.ReviewStatus) *core.Task {
	t := ended(core.KindReview, core.TaskDone)
	t.Attempts[0].Review = &core.Review{Status: status, Reason: "it is the wrong way"}
	return t
}

func usedUp(kind core.TaskKind, results ...string) *core.Task {
	t := ended(kind, core.TaskWaiting)
	t.Counted, t.Attempts = 2, nil
	for _, failed := range results {
		t.Attempts = append(t.Attempts, &core.Attempt{Status: core.AttemptEnded, Results: []core.CheckResult{{Check: failed}}})
	}
	return t
}

// outline is a decision in short: its type, and what it is about.
func outline(bodies []core.Body) []string {
	var all []string
	for _, b := range bodies {
		line := string(core.TypeOf(b))
		switch b := b.(type) {
		case core.TaskAdmitted:
			line += " " + b.Name
		case core.RunPaused:
			line += " " + string(b.Code) + ": " + b.Reason
		case core.StageDiscarded:
			line += ": " + b.Reason
		case core.StageOpened:
			line += " " + strings.Join(strings.Fields(b.Stage+" "+string(b.Reason)+" "+b.Wish), " ")
		case core.PlanWriteRequested:
			line += " " + b.Artifact + strings.Join(b.Done, ",") + ": " + b.Message
		case core.StagePassed:
			line += " " + b.Stage
		default:
		}
		all = append(all, line)
	}
	return all
}

// TestWhatFollowsForAStep: the table's moves, for every way in which the newest task
// that counts may have ended.
func TestWhatFollowsForAStep(t *testing.T) {
	again := "; the same as before, so another approach is needed"
	dropped := func(kind core.TaskKind) *core.Task { return ended(kind, core.TaskDropped) }
	refused := func(resolved, resets int) *core.Stage {
		s := step(ended(core.KindCode, core.TaskDone))
		for range resolved {
			s.Tasks = append(s.Tasks, ended(core.KindResolve, core.TaskDone))
		}
		s.Tasks, s.Conflict, s.Resets = append(s.Tasks, dropped(core.KindMerge)), &core.Unmerged{Into: "c4"}, resets
		return s
	}
	two := step(usedUp(core.KindCode, "test", "test"))
	two.Round = 2
	unnamed := step(usedUp(core.KindCode, "lint", "test"))
	unnamed.Title = ""
	for name, c := range map[string]struct {
		stage  *core.Stage
		review core.ReviewWhen
		want   []string
	}{
		"nothing yet":                         {step(), "", []string{"TaskAdmitted code"}},
		"given up when the project changed":   {step(dropped(core.KindCode)), "", []string{"TaskAdmitted code2"}},
		"a merge given up then":               {step(ended(core.KindCode, core.TaskDone), dropped(core.KindMerge)), "", []string{"TaskAdmitted review"}},
		"a merge that was refused":            {refused(0, 0), "", []string{"TaskAdmitted resolve"}},
		"refused, after one try":              {refused(1, 0), "", []string{"TaskAdmitted resolve2"}},
		"refused, as often as allowed":        {refused(2, 0), "", []string{"RunPaused attempts: The API: feature/x-step-1-1 could not be merged after 2 attempts to fix it"}},
		"refused as often, and more is given": {refused(2, 1), "", []string{"TaskAdmitted resolve3"}},
		"work given up after a refusal":       {func() *core.Stage { s := refused(0, 0); s.Tasks = append(s.Tasks, dropped(core.KindResolve)); return s }(), "", []string{"TaskAdmitted resolve2"}},
		"code":                                {step(ended(core.KindCode, core.TaskDone)), "", []string{"TaskAdmitted review"}},
		"code, and nobody reviews":            {step(ended(core.KindCode, core.TaskDone)), core.ReviewNever, []string{"TaskAdmitted merge"}},
		"a manager's work":                    {step(ended(core.KindWork, core.TaskDone)), "", []string{"TaskAdmitted review"}},
		"code, at work":                       {step(ended(core.KindCode, core.TaskRunning)), "", nil},
		"code, delivered":                     {step(ended(core.KindCode, core.TaskDelivered)), "", []string{"VerifyRequested"}},
		"code, to be tried again":             {step(ended(core.KindCode, core.TaskWaiting)), "", []string{"AttemptRequested"}},
		"used up, the same twice":             {step(usedUp(core.KindCode, "test", "test")), "", []string{"StageDiscarded: 2 attempts, and its checks still do not hold; test" + again}},
		"a manager's work, used up":           {step(usedUp(core.KindWork, "test", "test")), "", []string{"StageDiscarded: 2 attempts, and its checks still do not hold; test" + again}},
		"used up, in the last round":          {two, "", []string{"RunPaused attempts: The API: 2 attempts, and its checks still do not hold; test" + again}},
		"used up, of different kinds":         {unnamed, "", []string{"RunPaused attempts: 2 attempts, and its checks still do not hold; test"}},
		"a review, used up":                   {step(usedUp(core.KindReview, "test", "test")), "", []string{"RunPaused attempts: The API: 2 attempts, and its checks still do not hold; test"}},
		"approved":                            {step(judged(core.ReviewApproved)), "", []string{"TaskAdmitted merge"}},
		"a review without a word":             {step(ended(core.KindReview, core.TaskDone)), "", []string{"TaskAdmitted merge"}},
		"changes":                             {step(judged(core.ReviewChangesRequested)), "", []string{"TaskAdmitted fix"}},
		"rejected":                            {step(judged(core.ReviewRejected)), "", []string{"StageDiscarded: the review rejected it: it is the wrong way"}},
		"a fix":                               {step(ended(core.KindFix, core.TaskDone)), "", []string{"TaskAdmitted merge"}},
		"put right":                           {step(ended(core.KindResolve, core.TaskDone)), "", []string{"TaskAdmitted review"}},
		"merged":                              {step(ended(core.KindMerge, core.TaskDone)), "", []string{"StagePassed step-1"}},
		"what no rule speaks of":              {step(ended(core.KindValidate, core.TaskDone)), "", nil},
		"not open":                            {&core.Stage{ID: "step-1", Status: core.StageDone, Tasks: []*core.Task{ended(core.KindCode, core.TaskDone)}}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := project(c.stage)
			if c.review != "" {
				r.Playbook.Project.Review.When = c.review
			}
			if diff := cmp.Diff(c.want, outline(stages(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
