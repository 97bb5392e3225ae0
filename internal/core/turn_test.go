package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhoseEndCalledForATask: the newest that woke the manager, or the last that was
// waited for.
func TestWhoseEndCalledForATask(t *testing.T) {
	t.Parallel()
	r := &core.Run{ID: "r", Managing: core.Managing{Delegations: []*core.Delegation{{ID: "t1", Task: "t1.r1"}, {ID: "t2", Task: "t2.r1"}, {ID: "t3"}}}}
	ended := func(id string) core.Wake { return core.Wake{Kind: core.WakeTask, Subject: id} }
	manages := core.Task{Kind: core.KindManage}
	after := core.Task{Kind: core.KindManage, DependsOn: []string{"x", "y"}}
	for name, test := range map[string]struct {
		task core.Task
		turn *core.Turn
		want string
	}{
		"the newest":                 {manages, &core.Turn{Wakes: []core.Wake{ended("t1"), ended("t2")}}, "t2.r1"},
		"behind other wakes":         {manages, &core.Turn{Wakes: []core.Wake{ended("t1"), {Kind: core.WakeMessage, Subject: "t2"}}}, "t1.r1"},
		"not begun, not known":       {manages, &core.Turn{Wakes: []core.Wake{ended("t1"), ended("t3"), ended("t9")}}, "t1.r1"},
		"no work":                    {manages, &core.Turn{Wakes: []core.Wake{{Kind: core.WakeEpic}}}, ""},
		"no turn":                    {manages, nil, ""},
		"no wake of work":            {after, &core.Turn{Wakes: []core.Wake{{Kind: core.WakeEpic}}}, "y"},
		"work that had to wait":      {core.Task{DependsOn: []string{"x", "y"}}, nil, "y"},
		"work in a stage with turns": {core.Task{DependsOn: []string{"x"}}, &core.Turn{Wakes: []core.Wake{ended("t1")}}, "x"},
		"the first work":             {core.Task{}, nil, ""},
	} {
		if got := r.TriggeredBy(&core.Stage{Turn: test.turn}, &test.task); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := r.TaskID("t1.r1"); got != "r/t1.r1" {
		t.Errorf("among those of all runs the task is %s", got)
	}
}

// TestWhatATurnHadDoneBefore: the first delegation of the same that the same turn
// made, if it made this one after it.
func TestWhatATurnHadDoneBefore(t *testing.T) {
	t.Parallel()
	deed := func(tool core.Tool, key, subject, refused string) core.Deed {
		return core.Deed{Tool: tool, Key: key, Subject: subject, Refused: refused}
	}
	const tool = core.ToolDelegate
	run := func(status core.StageStatus, deeds ...core.Deed) *core.Run {
		return &core.Run{Stages: []*core.Stage{{ID: core.ManagerStage, Status: status, Turn: &core.Turn{Deeds: deeds}}}}
	}
	first, second, third := deed(tool, "k", "t1", ""), deed(tool, "k", "t2", ""), deed(tool, "k", "t3", "")
	for name, test := range map[string]struct {
		run  *core.Run
		want string
	}{
		"the first of three":    {run(core.StageOpen, first, second, third), "t1"},
		"after another refused": {run(core.StageOpen, deed(tool, "k", "t1", "no"), second, third), "t2"},
		"after another wish":    {run(core.StageOpen, deed(tool, "other", "t1", ""), second, third), "t2"},
		"after another tool":    {run(core.StageOpen, deed(core.ToolMessage, "k", "t1", ""), second, third), "t2"},
		"the only one":          {run(core.StageOpen, third), ""},
		"the same later":        {run(core.StageOpen, third, second), ""},
		"of an earlier turn":    {run(core.StageOpen, first, second), ""},
		"after the turn":        {run(core.StageDone, first, second, third), ""},
		"no turn":               {&core.Run{Stages: []*core.Stage{{ID: core.ManagerStage, Status: core.StageOpen}}}, ""},
		"no manager":            {&core.Run{}, ""},
	} {
		if got := test.run.InThisTurn(&core.Delegation{ID: "t3", Key: "k"}); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestWhoRunsATurn: the attempt under way, whichever task it is of.
func TestWhoRunsATurn(t *testing.T) {
	t.Parallel()
	task := func(status core.AttemptStatus) *core.Task {
		return &core.Task{Attempts: []*core.Attempt{{ID: "old", Status: core.AttemptEnded}, {ID: "new", Status: status}}}
	}
	run := func(status core.StageStatus, tasks ...*core.Task) *core.Run {
		return &core.Run{Stages: []*core.Stage{{ID: core.ManagerStage, Status: status, Tasks: tasks}}}
	}
	busy := task(core.AttemptRunning)
	if got := run(core.StageOpen, &core.Task{}, task(core.AttemptEnded), busy).Turning(); got != busy.Last() {
		t.Errorf("the turn is run by %+v", got)
	}
	for name, r := range map[string]*core.Run{
		"nobody yet": run(core.StageOpen, &core.Task{}), "nobody any more": run(core.StageOpen, task(core.AttemptEnded)), "the turn is over": run(core.StageDone, busy), "no turn": {},
	} {
		if got := r.Turning(); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWhereATaskStartsFrom: a manager from the work as it is, others from where they
// stopped.
func TestWhereATaskStartsFrom(t *testing.T) {
	t.Parallel()
	r := &core.Run{Head: "head"}
	s := &core.Stage{Base: "base"}
	if got := r.From(s, &core.Task{Kind: core.KindManage}); got != "head" {
		t.Errorf("a manager starts from %s", got)
	}
	if got := r.From(s, &core.Task{}); got != "base" {
		t.Errorf("a worker starts from %s", got)
	}
}

// TestWhichEndsCount: those that say something about the work. Waiting, another machine or a person mends the others.
func TestWhichEndsCount(t *testing.T) {
	t.Parallel()
	for end, infrastructure := range map[core.AttemptExited]bool{
		{Kind: core.ExitFinished}: false, {Kind: core.ExitTimeout}: false, {Kind: core.ExitFailed}: false,
		{Kind: core.ExitFailed, Class: "crashed"}: false, {Kind: core.ExitFailed, Class: "max_turns"}: false, {Kind: core.ExitFailed, Class: "refused"}: false,
		{Kind: core.ExitLost}: true, {Kind: core.ExitNoStart}: true, {Kind: core.ExitCancelled}: true,
		{Kind: core.ExitFailed, Class: "api_error"}: true, {Kind: core.ExitFailed, Class: "usage_limit"}: true, {Kind: core.ExitFailed, Class: "network"}: true,
		{Kind: core.ExitFailed, Hopeless: true}: true, {Kind: core.ExitFinished, Class: "network"}: false,
	} {
		if got := end.Infrastructure(); got != infrastructure {
			t.Errorf("%s %s, hopeless %t: infrastructure is %t", end.Kind, end.Class, end.Hopeless, got)
		}
	}
}

// TestWhenATaskIsSpent tries each bound on both sides.
func TestWhenATaskIsSpent(t *testing.T) {
	t.Parallel()
	r := &core.Run{Limits: core.Limits{Infra: 2}}
	for name, test := range map[string]struct {
		task core.Task
		want bool
	}{
		"one attempt left":            {core.Task{Status: core.TaskWaiting, Counted: 2, Limit: 3}, false},
		"no attempt left":             {core.Task{Status: core.TaskWaiting, Counted: 3, Limit: 3}, true},
		"as often lost as it may be":  {core.Task{Status: core.TaskWaiting, Limit: 3, Infra: 2}, false},
		"lost too often":              {core.Task{Status: core.TaskWaiting, Limit: 3, Infra: 3}, true},
		"cannot be made":              {core.Task{Status: core.TaskWaiting, Limit: 3, Stuck: true}, true},
		"the engine's own":            {core.Task{Status: core.TaskWaiting, Act: core.ActMerge, Stuck: true}, false},
		"delivered":                   {core.Task{Status: core.TaskDelivered, Counted: 3, Limit: 3, Infra: 2}, false},
		"delivered, lost too often":   {core.Task{Status: core.TaskDelivered, Limit: 3, Infra: 3}, true},
		"delivered, cannot be made":   {core.Task{Status: core.TaskDelivered, Limit: 3, Stuck: true}, true},
		"delivered, the engine's own": {core.Task{Status: core.TaskDelivered, Act: core.ActMerge, Stuck: true}, false},
		"under way":                   {core.Task{Status: core.TaskRunning, Stuck: true}, false},
		"done":                        {core.Task{Status: core.TaskDone, Stuck: true}, false},
	} {
		if got := r.Spent(&test.task); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
