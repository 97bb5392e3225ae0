package core_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// lookingAt is a run whose only stage is looked at before anybody is started.
func lookingAt(reason core.OpenReason) *core.Run {
	done := core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "make"}}}
	return &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, BaseCommit: "c0", Head: "c1", Verified: "c1", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{Kind: "phases", Phases: []core.Phase{{ID: "build", VerifyFirst: true, Gate: core.GateAuto, Done: done}}},
		Stages: []*core.Stage{{ID: "build", Status: core.StageOpen, Round: 1, Base: "c1", Reason: reason, Tasks: []*core.Task{
			{ID: "build.r1", Stage: "build", Status: core.TaskVerifying, Done: done, Limit: 1, First: true},
		}}},
	}
}

// TestTheLawOfLookingFirst: law 2 lets a stage pass without anybody's work only
// by a look at the work as it is, of what a tree alone can show.
func TestTheLawOfLookingFirst(t *testing.T) {
	decider, tree := core.Actor{Kind: core.ActorDecider, ID: "phases"}, core.Check{Kind: core.CheckFiles, Globs: []string{"go.mod"}}
	admit := func(change func(*core.TaskAdmitted)) core.Body {
		b := core.TaskAdmitted{Task: "x", Stage: "build", Round: 1, Attempts: 1, Done: tree, VerifyFirst: true}
		change(&b)
		return b
	}
	for name, c := range map[string]struct {
		actor  core.Actor
		reason core.OpenReason
		change func(*core.Run)
		body   core.Body
		says   string // "" where it is lawful
	}{
		"a look that passed":      {actor: core.Engine(), body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", First: true, Passed: true}},
		"a look that did not":     {actor: core.Engine(), body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", First: true}},
		"a look at other work":    {actor: core.Engine(), body: core.ValidateConcluded{Task: "build.r1", Commit: "c0", First: true, Passed: true}, says: "did not run on the work as it is"},
		"a look that met trouble": {actor: core.Engine(), body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", First: true, Passed: true, Error: "x"}, says: "did not run on the work as it is"},
		"a look of another kind":  {actor: core.Engine(), body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", Passed: true}, says: "must say so"},
		"an agent's look":         {actor: core.Actor{Kind: core.ActorAgent, ID: "a"}, body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", First: true, Passed: true}, says: "agent"},
		"a second look":           {actor: core.Engine(), change: func(r *core.Run) { r.Stages[0].Tasks[0].Looked = true }, body: core.ValidateConcluded{Task: "build.r1", Commit: "c1", First: true, Passed: true}, says: "no validation under way"},
		"a task with outputs":     {actor: decider, body: admit(func(b *core.TaskAdmitted) { b.Outputs = []string{"a.md"} }), says: "is not there before"},
		"a task that changes":     {actor: decider, body: admit(func(b *core.TaskAdmitted) { b.Done = core.Check{Kind: core.CheckChanged, Globs: []string{"*"}} }), says: "is not there before"},
		"a change within a not": {actor: decider, body: admit(func(b *core.TaskAdmitted) {
			b.Done = core.Check{Kind: core.CheckNot, Of: []core.Check{{Kind: core.CheckChanged}}}
		}), says: "is not there before"},
		"a task without checks":     {actor: decider, body: admit(func(b *core.TaskAdmitted) { b.Done = core.Check{} }), says: "is not there before"},
		"a task that is looked at":  {actor: decider, body: admit(func(*core.TaskAdmitted) {})},
		"a redone stage":            {actor: decider, reason: core.OpenRedo, body: admit(func(*core.TaskAdmitted) {})},
		"after feedback":            {actor: decider, reason: core.OpenFeedback, body: admit(func(*core.TaskAdmitted) {}), says: "this round was asked for"},
		"after a rollback":          {actor: decider, reason: core.OpenRollback, body: admit(func(*core.TaskAdmitted) {}), says: "this round was asked for"},
		"a playbook without":        {actor: decider, change: func(r *core.Run) { r.Playbook.Phases[0].VerifyFirst = false }, body: admit(func(*core.TaskAdmitted) {}), says: "does not have it verified first"},
		"to pass what was found":    {actor: decider, change: found("c1"), body: core.StagePassed{Stage: "build", Round: 1, Commit: "c1"}},
		"to pass what moved since":  {actor: decider, change: found("c0"), body: core.StagePassed{Stage: "build", Round: 1, Commit: "c1"}, says: "was found done at c0"},
		"to pass without a look":    {actor: decider, change: func(r *core.Run) { r.Stages[0].Tasks[0].Status = core.TaskDone }, body: core.StagePassed{Stage: "build", Round: 1, Commit: "c1"}, says: "no delivery"},
		"to pass what is not first": {actor: decider, change: func(r *core.Run) { found("c1")(r); r.Stages[0].Tasks[0].First = false }, body: core.StagePassed{Stage: "build", Round: 1, Commit: "c1"}, says: "no delivery"},
	} {
		reason := c.reason
		if reason == "" {
			reason = core.OpenAdvance
		}
		r := lookingAt(reason)
		if c.change != nil {
			c.change(r)
		}
		err := core.Law(r, c.actor, c.body)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func found(commit string) func(*core.Run) {
	return func(r *core.Run) {
		t := r.Stages[0].Tasks[0]
		t.Status, t.Looked, t.Found = core.TaskDone, true, commit
	}
}
