package work_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// attempted is a task that waits after an attempt.
func attempted(change func(t *core.Task)) *core.Task {
	t := &core.Task{
		ID: "api.r1.code", Status: core.TaskWaiting, Limit: 3, Counted: 1, Requested: 1,
		Attempts: []*core.Attempt{{ID: "api.r1.code.a1", Status: core.AttemptEnded}},
	}
	change(t)
	return t
}

// TestWhatFollowsForATask: nobody is started while it waits for something, and what
// can be done no more is for a person, also where a wait is due first.
func TestWhatFollowsForATask(t *testing.T) {
	later, now := noon.Add(time.Second), noon
	again := core.AttemptRequested{Task: "api.r1.code", Attempt: "api.r1.code.a2", N: 2, Base: "c0"}
	verify := core.VerifyRequested{Task: "api.r1.code", Attempt: "api.r1.code.a1"}
	look := core.VerifyRequested{Task: "api.r1.code", Fresh: true}
	paused := func(code core.PauseCode) core.Body { return core.RunPaused{Code: code, Stage: "api"} }
	for name, c := range map[string]struct {
		change func(t *core.Task)
		want   core.Body
	}{
		"another try":                      {func(*core.Task) {}, again},
		"its time has come":                {func(t *core.Task) { t.NotBefore = now }, again},
		"it is to wait":                    {func(t *core.Task) { t.NotBefore = later }, nil},
		"as often as allowed":              {func(t *core.Task) { t.Counted = 3 }, paused(core.PauseAttempts)},
		"as often, but it is to wait":      {func(t *core.Task) { t.Counted, t.NotBefore = 3, later }, nil},
		"lost, as often as allowed":        {func(t *core.Task) { t.Infra = 5 }, again},
		"lost too often":                   {func(t *core.Task) { t.Infra = 6 }, paused(core.PauseInfra)},
		"lost too often, and to wait":      {func(t *core.Task) { t.Infra, t.NotBefore = 6, later }, paused(core.PauseInfra)},
		"what waiting does not mend":       {func(t *core.Task) { t.Stuck, t.NotBefore = true, later }, paused(core.PauseInfra)},
		"blocked":                          {func(t *core.Task) { t.Blocked = &core.Claim{} }, nil},
		"after what is done":               {func(t *core.Task) { t.DependsOn = []string{"done"} }, again},
		"after what is not":                {func(t *core.Task) { t.DependsOn = []string{"done", "open"} }, nil},
		"after what there is not":          {func(t *core.Task) { t.DependsOn = []string{"gone"} }, nil},
		"to look at first":                 {func(t *core.Task) { t.First, t.Attempts, t.Counted, t.Requested = true, nil, 0, 0 }, look},
		"to look at, after what is not":    {func(t *core.Task) { t.First, t.Attempts, t.DependsOn = true, nil, []string{"open"} }, nil},
		"an act":                           {func(t *core.Task) { t.Act, t.Attempts, t.Limit, t.Counted = core.ActMerge, nil, 0, 0 }, look},
		"delivered":                        {func(t *core.Task) { t.Status = core.TaskDelivered }, verify},
		"delivered, with no try left":      {func(t *core.Task) { t.Status, t.Counted = core.TaskDelivered, 3 }, verify},
		"delivered, and to wait":           {func(t *core.Task) { t.Status, t.NotBefore = core.TaskDelivered, later }, nil},
		"delivered, checks lost too often": {func(t *core.Task) { t.Status, t.Infra = core.TaskDelivered, 6 }, paused(core.PauseInfra)},
		"an act that is prepared":          {func(t *core.Task) { t.Status, t.Act = core.TaskDelivered, core.ActPullRequest }, nil},
		"at work":                          {func(t *core.Task) { t.Status = core.TaskRunning }, nil},
		"at work, lost too often before":   {func(t *core.Task) { t.Status, t.Infra = core.TaskRunning, 6 }, nil},
		"being verified":                   {func(t *core.Task) { t.Status = core.TaskVerifying }, nil},
		"done":                             {func(t *core.Task) { t.Status, t.Counted = core.TaskDone, 3 }, nil},
		"dropped":                          {func(t *core.Task) { t.Status, t.Stuck = core.TaskDropped, true }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &core.Stage{ID: "api", Status: core.StageOpen, Round: 1, Base: "c0", Tasks: []*core.Task{
				{ID: "done", Status: core.TaskDone}, {ID: "open", Status: core.TaskDelivered}, attempted(c.change),
			}}
			r := &core.Run{Alias: "r", Playbook: &core.Playbook{}, Stages: []*core.Stage{s}}
			r.Stream.At, r.Limits.Infra = noon, 5
			got := work.Next(r, s, s.Tasks[2])
			if p, ok := got.(core.RunPaused); ok {
				p.Reason, p.Advice = "", core.Advice{}
				got = p
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatAPersonIsToldOfATask: who is asked about a task learns which one it is, why
// it does not go on, and what to type.
func TestWhatAPersonIsToldOfATask(t *testing.T) {
	red := []core.CheckResult{{Check: "lint", Passed: true}, {Check: "test"}, {Check: "docs"}}
	for name, c := range map[string]struct {
		change       func(r *core.Run, s *core.Stage, t *core.Task)
		reason, next string
	}{
		"once": {func(_ *core.Run, _ *core.Stage, t *core.Task) { t.Limit = 1 },
			"api: 1 attempt, and its checks still do not hold", "`stellwerk status r` shows why; then `stellwerk retry r`, `stellwerk feedback r \"…\"`, or `stellwerk skip r`"},
		"which check": {func(r *core.Run, _ *core.Stage, t *core.Task) {
			t.Counted, t.Name, t.Last().Results = 3, "code", red
			r.Playbook.Phases = []core.Phase{{ID: "api", Title: "The API"}}
		}, "The API, code: 3 attempts, and its checks still do not hold; test", ""},
		"a limit of the attempt": {func(_ *core.Run, _ *core.Stage, t *core.Task) {
			t.Counted, t.Last().Exceeded, t.Last().Short = 3, "the attempt has cost $1.00 of its $1.00", &core.Shortage{Own: true, Advice: core.Advice{Choices: []core.Choice{{Verb: core.VerbRaise, Run: "r", Limit: core.LimitAttemptCost}}}}
		}, "api: 3 attempts, and its checks still do not hold; it ran into a limit: the attempt has cost $1.00 of its $1.00",
			"`stellwerk status r` shows why; then `stellwerk retry r`, `stellwerk feedback r \"…\"`, or `stellwerk skip r`; `stellwerk retry r --max-attempt-cost USD` raises it for this run, `limits.attempt.cost_usd` in your settings for later ones"},
		"a limit of the machine": {func(_ *core.Run, _ *core.Stage, t *core.Task) {
			t.Counted, t.Last().Exit, t.Last().Resources = 3, core.ExitFailed, &core.Consumption{Breach: "killed at 1.0 GiB of memory", Exceeded: "memory"}
		}, "api: 3 attempts, and its checks still do not hold; it ran into a limit: killed at 1.0 GiB of memory",
			"`stellwerk status r` shows why; then `stellwerk retry r`, `stellwerk feedback r \"…\"`, or `stellwerk skip r`; a higher `resources.memory` in your settings is for new runs"},
		"a limit that was met and outlived": {func(_ *core.Run, _ *core.Stage, t *core.Task) {
			t.Counted, t.Last().Exit, t.Last().Resources = 3, core.ExitFinished, &core.Consumption{Breach: "killed at 1.0 GiB of memory", Exceeded: "memory"}
		}, "api: 3 attempts, and its checks still do not hold", ""},
		"a phase without a title": {func(r *core.Run, _ *core.Stage, t *core.Task) {
			t.Counted, r.Playbook.Phases = 3, []core.Phase{{ID: "api"}}
		}, "api: 3 attempts, and its checks still do not hold", ""},
		"a project's step": {func(r *core.Run, s *core.Stage, t *core.Task) {
			t.Counted, r.Playbook.Project, s.Branch = 3, &core.Management{}, "x-api-1"
		}, "", "`stellwerk status r` shows why; then `stellwerk retry r`, or `stellwerk skip r`"},
		"a project's plan": {func(r *core.Run, s *core.Stage, t *core.Task) {
			t.Counted, r.Playbook.Project, s.ID = 3, &core.Management{}, core.PlanStage
		}, "", "`stellwerk status r` shows why; then `stellwerk retry r`, `stellwerk feedback r \"…\"`, or `stellwerk cancel r`"},
		"a plan of waves": {func(r *core.Run, s *core.Stage, t *core.Task) {
			t.Counted, r.Playbook.Project, s.ID = 3, &core.Management{Waves: &core.WaveRules{}}, core.PlanStage
		}, "", "`stellwerk status r` shows why; then `stellwerk retry r`, or `stellwerk cancel r`"},
		"lost": {func(_ *core.Run, _ *core.Stage, t *core.Task) { t.Infra = 6 },
			"api.r1.code was lost 6 times to something outside the agent's work", "put it right, then try again: `stellwerk retry r`"},
		"lost, by what the stage says": {func(_ *core.Run, s *core.Stage, t *core.Task) { t.Infra, s.Trouble = 6, "no network" },
			"api.r1.code was lost 6 times to something outside the agent's work: no network", ""},
		"stuck, by what the task says": {func(_ *core.Run, s *core.Stage, t *core.Task) {
			t.Stuck, t.Trouble, s.Trouble = true, "no space", "no network"
		},
			"api cannot be worked on: no space", ""},
		"stuck, by what the attempt says": {func(_ *core.Run, _ *core.Stage, t *core.Task) {
			t.Stuck, t.Trouble, t.Last().Message = true, "no space", "no such model"
		},
			"api cannot be worked on: no such model", ""},
	} {
		t.Run(name, func(t *testing.T) {
			task := attempted(func(*core.Task) {})
			s := &core.Stage{ID: "api", Status: core.StageOpen, Round: 1, Tasks: []*core.Task{task}}
			r := &core.Run{Alias: "r", Playbook: &core.Playbook{}, Stages: []*core.Stage{s}}
			r.Limits.Infra = 5
			c.change(r, s, task)
			p, ok := work.Next(r, s, task).(core.RunPaused)
			if !ok || c.reason != "" && p.Reason != c.reason || c.next != "" && wording.Advice(p.Code, p.Advice) != c.next {
				t.Errorf("paused with %q, %q\nwant %q, %q", p.Reason, wording.Advice(p.Code, p.Advice), c.reason, c.next)
			}
		})
	}
}

// TestAMergeWaitsForItsTurn: merges follow one another, and a change of the plan.
func TestAMergeWaitsForItsTurn(t *testing.T) {
	under := &core.Task{ID: "b", Act: core.ActMerge, Status: core.TaskVerifying}
	for name, c := range map[string]struct {
		other  *core.Task
		plan   *core.PlanWrite
		change func(t *core.Task)
		begins bool
	}{
		"nothing moves":             {change: func(*core.Task) {}, begins: true},
		"another is merged":         {other: under, change: func(*core.Task) {}},
		"the plan is written":       {plan: &core.PlanWrite{}, change: func(*core.Task) {}},
		"another waits":             {other: &core.Task{ID: "b", Act: core.ActMerge, Status: core.TaskWaiting}, change: func(*core.Task) {}, begins: true},
		"another is verified":       {other: &core.Task{ID: "b", Status: core.TaskVerifying}, change: func(*core.Task) {}, begins: true},
		"lost too often, for ever":  {other: under, change: func(t *core.Task) { t.Stuck = true }, begins: true},
		"work waits for no merge":   {other: under, change: func(t *core.Task) { t.Act, t.Limit = "", 1 }, begins: true},
		"nor does its verification": {other: under, change: func(t *core.Task) { t.Act, t.Status, t.Attempts = "", core.TaskDelivered, []*core.Attempt{{}} }, begins: true},
	} {
		merge := &core.Task{ID: "a", Act: core.ActMerge, Status: core.TaskWaiting}
		c.change(merge)
		s := &core.Stage{ID: "api", Status: core.StageOpen, Tasks: []*core.Task{merge}}
		r := &core.Run{Playbook: &core.Playbook{}, Driving: core.Driving{PlanWrite: c.plan}, Stages: []*core.Stage{s}}
		if c.other != nil {
			r.Stages = append(r.Stages, &core.Stage{ID: "web", Status: core.StageOpen, Tasks: []*core.Task{c.other}})
		}
		if got := work.Advance(r, s, merge); (len(got) == 1) != c.begins || len(got) > 1 {
			t.Errorf("%s: %+v follows", name, got)
		}
	}
	if got := work.Advance(&core.Run{}, &core.Stage{}, &core.Task{Status: core.TaskRunning}); len(got) != 0 {
		t.Errorf("while it works, %+v follows", got)
	}
}

// TestOnlyATaskThatWaitsIsUsedUp: what was delivered with the last try is verified
// yet, and an act has no tries to use up.
func TestOnlyATaskThatWaitsIsUsedUp(t *testing.T) {
	for name, c := range map[string]struct {
		task core.Task
		want bool
	}{
		"the last try": {core.Task{Status: core.TaskWaiting, Counted: 2, Limit: 2}, true},
		"one is left":  {core.Task{Status: core.TaskWaiting, Counted: 1, Limit: 2}, false},
		"it works":     {core.Task{Status: core.TaskRunning, Counted: 2, Limit: 2}, false},
		"it delivered": {core.Task{Status: core.TaskDelivered, Counted: 2, Limit: 2}, false},
		"it is done":   {core.Task{Status: core.TaskDone, Counted: 2, Limit: 2}, false},
		"an act":       {core.Task{Status: core.TaskWaiting, Act: core.ActMerge}, false},
	} {
		if got := work.Exhausted(&c.task); got != c.want {
			t.Errorf("%s: used up is %v", name, got)
		}
	}
	if got := work.WhyNot(&core.Run{}, &core.Task{Counted: 2}); got != "2 attempts, and its checks still do not hold" {
		t.Errorf("of what has no attempt it says %q", got)
	}
}

// TestWhatWasRedBeforeIsCalledThat: who reads why a run is paused learns that the
// work did not break the check.
func TestWhatWasRedBeforeIsCalledThat(t *testing.T) {
	r := &core.Run{Preflight: &core.Preflight{Checks: []core.BaseCheck{{Check: "command: make old"}, {Check: "command: make new", Passed: true}}}}
	for check, want := range map[string]string{
		"command: make old": "1 attempt, and its checks still do not hold; command: make old (was red before this run began)",
		"command: make new": "1 attempt, and its checks still do not hold; command: make new",
	} {
		failed := &core.Task{Counted: 1, Attempts: []*core.Attempt{{Results: []core.CheckResult{{Check: "changed: **", Passed: true}, {Check: check}}}}}
		if got := work.WhyNot(r, failed); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
