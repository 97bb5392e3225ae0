package app_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// lastingPlaybook has a manager whose turn lasts until the test is over.
const lastingPlaybook = `
name: tiny
kind: manager
agents: {waiting: {use: command, run: [sh, -c, "sleep 600"]}}
roles: {boss: {agent: waiting, prompt: You manage.}, dev: {agent: waiting, prompt: You build.}}
manager: {role: boss}
steps: {role: dev, done: {command: "true"}}
`

// TestACallIsCarriedOutOnce makes every call of a manager many times over by the
// same name, also at once, and as one of another name.
func TestACallIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lastingPlaybook)
	run, err := d.app.Service.StartRun(d.person(), api.StartRun{Dir: d.dir, Goal: "greet", Playbook: "tiny", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(d.person(), waittest.Limit)
	defer cancel()
	started := errors.New("started")
	attempt := core.AttemptID(core.TaskID(core.ManagerStage, 1, ""), 1)
	if err := d.app.Service.Follow(ctx, run.ID, 0, func(e core.Event) error {
		if e.Type == core.TypeAttemptStarted {
			return started
		}
		return nil
	}); !errors.Is(err, started) {
		t.Fatal(err)
	}
	boss := api.WithCaller(ctx, api.Caller{Actor: core.Actor{Kind: core.ActorAgent, ID: attempt}, Run: run.ID})
	for _, c := range []struct {
		kind core.Type
		make func(ctx context.Context) (answer any, err error)
	}{
		{core.TypeMessageSent, func(ctx context.Context) (any, error) {
			return d.app.Service.Tell(ctx, run.ID, api.Tell{Text: "hello"})
		}},
		{core.TypePlanProposed, func(ctx context.Context) (any, error) {
			plan, err := d.app.Service.UpdatePlan(ctx, run.ID, api.UpdatePlan{
				Files: map[string]string{"plan.md": "# Plan\n\n## Steps\n\n### [ ] 1. A step\n"}, Message: "the plan",
			})
			return plan.Commit, err
		}},
		{core.TypeTaskProposed, func(ctx context.Context) (any, error) {
			return d.app.Service.Delegate(ctx, run.ID, core.Proposal{Prompt: "Write it."})
		}},
		{core.TypeQuestionAsked, func(ctx context.Context) (any, error) {
			return d.app.Service.Ask(ctx, run.ID, api.Ask{Text: "Which one?"})
		}},
	} {
		var repeated sync.WaitGroup
		answers, failures := make([]any, 4), make([]error, 4)
		for i := range answers {
			repeated.Go(func() { answers[i], failures[i] = c.make(api.WithCall(boss, "call of "+string(c.kind))) })
		}
		repeated.Wait()
		for i, answer := range answers {
			if failures[i] != nil || answer != answers[0] {
				t.Errorf("%s: call %d was answered %+v, %v; another %+v", c.kind, i, answer, failures[i], answers[0])
			}
		}
		if n := count(t, d, run.ID, c.kind); n != 1 {
			t.Errorf("%s is there %d times", c.kind, n)
		}
	}
	if _, err := d.app.Service.Tell(api.WithCall(boss, "another"), run.ID, api.Tell{Text: "hello"}); err != nil || count(t, d, run.ID, core.TypeMessageSent) != 2 {
		t.Errorf("the same words by another name: %v", err)
	}
	if n := count(t, d, run.ID, core.TypeToolRefused); n > 0 {
		t.Errorf("%d repetitions were taken for refusals", n)
	}
}

func count(t *testing.T, d *desk, run string, kind core.Type) int {
	t.Helper()
	events, err := d.app.Service.Events(d.person(), run, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Type == kind {
			n++
		}
	}
	return n
}
