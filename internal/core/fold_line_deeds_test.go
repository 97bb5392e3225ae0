package core_test

import (
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ruled is managed, driven by the rules of a plan.
func ruled() *core.Run {
	r := managed()
	byRules(r)
	r.Managing.Delegations, r.Managing.Delegated = nil, 0
	return r
}

// delegated has the work on the line api done by two tasks of the delegation t1,
// after one that was told of before.
func delegated(r *core.Run) {
	attempt := func(task string, minutes time.Duration, usd float64, summary string) []*core.Attempt {
		return []*core.Attempt{{
			ID: task + ".a1", Status: core.AttemptEnded, Duration: minutes * time.Minute, Usage: core.Usage{CostUSD: usd}, Summary: summary,
			Delivery: &core.Delivery{Commit: "c-" + task, Artifacts: []core.Artifact{{Name: "notes.md", Digest: "d-" + task}}},
		}}
	}
	task := func(id string, kind core.TaskKind, status core.TaskStatus, a []*core.Attempt) *core.Task {
		return &core.Task{ID: id, Stage: "api", Kind: kind, Status: status, Writes: core.WritesCode, Outputs: []string{"notes.md"}, Attempts: a}
	}
	r.Stage("api").Tasks = []*core.Task{
		task("api.r1.t0", core.KindCode, core.TaskDone, attempt("t0", 9, 9, "before")),
		task("api.r1.t1", core.KindCode, core.TaskDone, attempt("t1", 2, 0.5, "did it")),
		task("api.r1.t1.fix", core.KindFix, core.TaskVerifying, attempt("t1.fix", 3, 0.25, "fixed it")),
	}
	r.Managing.Delegations[0].Task, r.Sterile = "api.r1.t1", 2
}

// publishable adds a publication that waits at its gate, as the delegation t2.
func publishable(status core.TaskStatus) func(*core.Run) {
	return func(r *core.Run) {
		r.Stages = append(r.Stages, &core.Stage{ID: core.PublishStage, Status: core.StageGated, Round: 1, Gate: &core.Gate{}, Tasks: []*core.Task{
			{ID: "publish.r1", Stage: core.PublishStage, Act: core.ActPullRequest, Status: status, Prepared: &core.PublishPrepared{}, Publishing: &core.PublishRequested{}},
		}})
		r.Managing.Delegations = append(r.Managing.Delegations, &core.Delegation{ID: "t2", Stage: core.PublishStage, Status: core.DelegationOpen})
		r.Managing.Delegated = 2
		r.Status, r.Pause = core.StatusAwaiting, &core.Pause{From: core.StatusAwaiting}
	}
}

// lineDeeds are the lines of a project: branches, merges, wishes, the plan.
func lineDeeds() map[string]deed {
	me, engine := core.Person("me"), core.Engine()
	merge := core.MergeConcluded{Task: "api.r1.m", Into: "c1", From: "c2", Commit: "m", Passed: true}
	unmerged, broken, red := merge, merge, merge
	unmerged.Passed, unmerged.Conflicts = false, []string{"a.go", "b.go"}
	broken.Passed, broken.Error = false, "no disk"
	red.Passed, red.Results = false, []core.CheckResult{{Check: "go vet", Passed: true}, {Check: "go test"}}
	at := with(managed, delegated, merging(core.TaskVerifying))
	noted := with(at, line(func(s *core.Stage) {
		s.Note = &core.MergeNote{Conflicts: true, Files: []string{"a.go"}, Failed: []string{"go test"}, Build: core.VerdictFailed}
		s.Conflict, s.Trouble = &core.Unmerged{}, "x"
	}))
	resolved := with(noted, line(func(s *core.Stage) {
		fix := *s.Tasks[2]
		fix.ID, fix.Kind, fix.Status = "api.r1.t1.resolve", core.KindResolve, core.TaskDone
		s.Tasks = append(s.Tasks[:3:3], &fix, s.Tasks[3])
	}))
	wide := unmerged
	wide.Conflicts = nil
	for i := range 22 {
		wide.Conflicts = append(wide.Conflicts, "f"+strconv.Itoa(i)+".go")
	}
	given := func(change func(*core.StageDiscarded)) core.Body {
		b := core.StageDiscarded{Stage: "api", Round: 1, Reason: "why"}
		change(&b)
		return b
	}
	discarding := with(managed, delegated, func(r *core.Run) {
		r.Managing.Delegations = append(r.Managing.Delegations, &core.Delegation{ID: "t2", Status: core.DelegationWaiting, Event: "e-cause"}, &core.Delegation{ID: "t3", Status: core.DelegationWaiting, Event: "e0"})
	})
	wish := core.ChangesRequested{ID: "w1", Source: "me", Text: "so"}
	wishes := func(r *core.Run) {
		r.Driving.Changes = []core.Changes{{ID: "w1", Text: "a"}, {ID: "w2", Text: "b"}, {ID: "w3", Text: "c"}}
	}
	opened := func(change func(*core.StageOpened)) core.Body {
		b := core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "feature/x-old-2", Title: "t", Reason: core.OpenAdvance}
		change(&b)
		return b
	}
	same := func(*core.StageOpened) {}
	old := func(change func(*core.Stage)) func() *core.Run {
		return with(managed, wishes, func(r *core.Run) { change(r.Stages[2]) })
	}
	plan := core.Plan{Commit: "c5", Digest: "d5", Steps: []core.Step{{ID: "s"}}}
	writing := func(state func() *core.Run, change func(*core.PlanWrite)) func() *core.Run {
		return with(state, planning(core.PlanStage), func(r *core.Run) {
			r.Driving.PlanWrite, r.Sterile = &core.PlanWrite{Event: "e"}, 2
			change(r.Driving.PlanWrite)
		}, func(r *core.Run) { r.Managing.Delegations = nil }, publishable(core.TaskDelivered))
	}
	asIs := func(*core.PlanWrite) {}
	swap := core.PlaybookSwapped{Playbook: core.Playbook{Name: "other", Project: &core.Management{}}}
	boss := core.PlaybookSwapped{Playbook: core.Playbook{Name: "boss", Project: &core.Management{Roles: map[core.TaskKind]string{core.KindManage: "x"}}}}
	pausedFor := func(state func() *core.Run, code core.PauseCode) func() *core.Run {
		return with(state, func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: code, Stage: "api", Reason: "why", Advice: core.Advice{Hint: "what"}, From: core.StatusActive}
			r.Managing.Barren = 2
		})
	}
	turned := func(deeds ...core.Deed) func() *core.Run {
		return with(turning, func(r *core.Run) {
			r.Stages[0].Turn = &core.Turn{Wakes: []core.Wake{{Kind: core.WakeTask, Subject: "t1"}}, Missed: 2, Deeds: deeds}
			r.Managing.Wakes, r.Managing.Missed = []core.Wake{{Kind: core.WakeEpic}}, 1
		})
	}
	tried := with(ruled, planning(core.PlanStage), func(r *core.Run) {
		doc := &core.Delivery{Commit: "c7", Artifacts: []core.Artifact{{Name: "notes.md", Digest: "d"}}}
		left := func(id string, status core.TaskStatus) *core.Task {
			return &core.Task{ID: id, Stage: "api", Status: status, Writes: core.WritesCode, Outputs: []string{"notes.md"}, Attempts: []*core.Attempt{{Delivery: doc}}}
		}
		r.Stages = append(r.Stages,
			&core.Stage{ID: "step-a", Status: core.StageOpen, Branch: "a", Tasks: []*core.Task{left("a1", core.TaskWaiting), left("a2", core.TaskDelivered), left("a3", core.TaskDone), left("a4", core.TaskDropped)}},
			&core.Stage{ID: "step-b", Status: core.StageDone, Branch: "b", Tasks: []*core.Task{left("b1", core.TaskDone), left("b2", core.TaskDropped)}},
			&core.Stage{ID: "step-c", Status: core.StageStale, Branch: "c", Gate: &core.Gate{}, Next: &core.Reopen{}, Trouble: "x"},
			&core.Stage{ID: "publish", Status: core.StageOpen, Gate: &core.Gate{}, Tasks: []*core.Task{{ID: "p", Act: core.ActPullRequest, Status: core.TaskWaiting, Writes: core.WritesCode, Attempts: []*core.Attempt{{Delivery: doc}}}}},
		)
	})
	return map[string]deed{
		"merged":                            {at, engine, merge},
		"merged after a conflict":           {noted, engine, merge},
		"merged after somebody resolved it": {resolved, engine, merge},
		"merged before publishing":          {with(at, publishable(core.TaskDelivered)), engine, merge},
		"merged by rules":                   {with(ruled, merging(core.TaskVerifying)), engine, merge},
		"in conflict":                       {at, engine, unmerged},
		"in conflict once more":             {noted, engine, unmerged},
		"in conflict in many files":         {at, engine, wide},
		"merged and red":                    {noted, engine, red},
		"not merged for trouble":            {noted, engine, broken},
		"given up":                          {discarding, decides, given(func(*core.StageDiscarded) {})},
		"given up for another round":        {discarding, decides, given(func(b *core.StageDiscarded) { b.Again = true })},
		"given up on a word just now":       {discarding, decides, given(func(b *core.StageDiscarded) { b.Delegation = "t2" })},
		"given up on a word from before":    {discarding, decides, given(func(b *core.StageDiscarded) { b.Delegation = "t3" })},
		"given up with nothing done":        {with(managed, line(func(s *core.Stage) { s.Line, s.Tasks = "", nil })), decides, given(func(*core.StageDiscarded) {})},
		"a line begins anew":                {old(func(s *core.Stage) { s.Reviews, s.Fixes, s.Line, s.LineAt = 1, 1, "c8", "c8" }), decides, opened(same)},
		"a merged line begins anew":         {old(func(s *core.Stage) { s.Reviews, s.Fixes, s.Merged = 1, 1, "m" }), decides, opened(same)},
		"a line goes on":                    {old(func(s *core.Stage) { s.LineAt = "c8" }), decides, opened(func(b *core.StageOpened) { b.Branch = "feature/x-old-1" })},
		"a line begins for a wish":          {old(func(*core.Stage) {}), decides, opened(func(b *core.StageOpened) { b.Wish = "w2" })},
		"a line begins":                     {with(managed, func(r *core.Run) { r.Managing.Rounds, r.Sterile = core.Rounds{"new": 1, "other": 2}, 2 }), decides, opened(func(b *core.StageOpened) { b.Stage = "new" })},
		"a line's branch moves":             {managed, engine, core.BranchMoved{Ref: "refs/heads/feature/x-api-1", New: "c5"}},
		"a branch is gone":                  {with(managed, func(r *core.Run) { r.Gone = []core.Line{{Branch: "g1"}, {Branch: "g2"}, {Branch: "g3"}} }), engine, core.BranchMoved{Ref: "refs/heads/g2"}},
		"a line passes":                     {with(managed, delegated, line(func(s *core.Stage) { s.Tasks[2].Status = core.TaskDone })), decides, core.StagePassed{Stage: "api", Round: 1, Commit: "m"}},
		"a line is skipped":                 {with(managed, delegated, publishable(core.TaskDelivered)), me, core.StageSkipped{Stage: "api", Source: core.SkipPerson, Reason: "why"}},
		"a line without work is skipped":    {with(managed, line(func(s *core.Stage) { s.Line, s.Tasks = "", nil })), me, core.StageSkipped{Stage: "api", Source: core.SkipPerson}},
		"a line's tries are given back":     {with(managed, publishable(core.TaskDelivered)), me, core.AttemptsReset{Stage: "api"}},
		"publishing is tried again":         {with(managed, publishable(core.TaskDelivered)), me, core.AttemptsReset{Stage: core.PublishStage}},
		"a wish":                            {managed, me, wish},
		"a wish before publishing":          {with(managed, publishable(core.TaskDelivered)), me, wish},
		"a wish before publishing by rules": {with(ruled, publishable(core.TaskDelivered)), me, wish},
		"a wish while it is published":      {with(managed, publishable(core.TaskRunning)), me, wish},
		"a wish after it was published":     {with(managed, publishable(core.TaskDone)), engine, wish},
		"the plan is read":                  {with(managed, func(r *core.Run) { r.Driving.Plan = nil }), engine, core.PlanRead{Plan: plan}},
		"the plan cannot be read":           {with(managed, func(r *core.Run) { r.Driving.Plan = nil }), engine, core.PlanRead{Error: "no steps"}},
		"the plan is to be written":         {with(managed, func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{} }), decides, core.PlanWriteRequested{Artifact: "a", Done: []string{"s"}, Message: "m"}},
		"a draft is to be written":          {with(managed, func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{} }), decides, core.PlanWriteRequested{Files: []core.PlanFile{{Name: "plan.md"}}, Message: "m"}},
		"the plan is another":               {writing(ruled, asIs), engine, core.PlanUpdated{Old: "c1", Plan: plan}},
		"the plan is what was made":         {writing(ruled, func(w *core.PlanWrite) { w.Artifact = "a" }), engine, core.PlanUpdated{Old: "c1", Plan: plan}},
		"a manager's plan is another":       {writing(managed, asIs), engine, core.PlanUpdated{Old: "c1", Plan: plan}},
		"resumed with a plan that failed":   {with(pausedFor(ruled, core.PauseInput), func(r *core.Run) { r.Driving.Plan.Trouble = "x" }), me, core.RunResumed{}},
		"resumed with a manager's plan":     {with(pausedFor(managed, core.PauseInput), func(r *core.Run) { r.Driving.Plan.Trouble = "x" }), me, core.RunResumed{}},
		"a review is awaited":               {with(managed, closed), decides, core.ReviewAwaited{}},
		"handed to the rules":               {pausedFor(turned(), core.PauseBarren), me, swap},
		"handed to the rules, done": {with(managed, func(r *core.Run) {
			r.Stage("api").Merged, r.Stage("api").Line = "m", "c2"
			r.Stages = append(r.Stages,
				&core.Stage{ID: "t1", Status: core.StageOpen, Tasks: []*core.Task{{ID: "x", Status: core.TaskDone}}},
				&core.Stage{ID: "web", Status: core.StageOpen, Tasks: []*core.Task{{ID: "y", Status: core.TaskDone}}},
			)
		}), me, swap},
		"handed from one manager to another": {pausedFor(turned(core.Deed{Tool: core.ToolDelegate}), core.PauseBudget), me, boss},
		"handed on in an idle turn":          {turned(), me, boss},
		"handed to a manager":                {pausedFor(tried, core.PauseAttempts), me, boss},
		"handed to a manager with a plan":    {with(tried, func(r *core.Run) { r.Stages[0].Merged = "m" }), me, boss},
	}
}
