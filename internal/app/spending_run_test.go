package app_test

import (
	"context"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const spendingPlaybook = `
name: costly
kind: phases
agents: {s: {use: scripted, scenario: scenario.yaml}}
roles: {dev: {agent: s, prompt: work}}
phases:
  - id: build
    role: dev
    done: {changed: hello.txt}
`

const spendingScenario = `
attempts:
  - task: build
    attempt: 1
    do:
      - usage: {model: scripted, input: 10, output: 10, cost_usd: 3}
      - lie: "Done."
  - task: build
    do:
      - usage: {model: scripted, input: 5, output: 1, cost_usd: 0.5}
      - write: {path: hello.txt, content: "hi\n"}
`

// TestSpendingOfARun holds what a run's attempts used, and what its project did
// that day, to what the run itself says.
func TestSpendingOfARun(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"scenario.yaml": spendingScenario, ".stellwerk/playbooks/costly.yaml": spendingPlaybook})
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	a, err := app.Open(ctx, app.Options{State: stateFolder(t), Version: "test", Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	run, err := a.Service.StartRun(ctx, api.StartRun{Dir: dir, Goal: "say hello", Playbook: "costly", Trust: true, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	before, err := a.Service.RunSpending(ctx, run.Alias) // of a run that goes on
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Service.Follow(ctx, run.ID, 0, func(core.Event) error { return nil }); err != nil {
		t.Fatal(err)
	}
	after, err := a.Service.RunSpending(ctx, run.Alias)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != 2 || len(before) > len(after) {
		t.Fatalf("%d attempts, and %d before", len(after), len(before))
	}
	for i, want := range []core.Usage{{CostUSD: 3, InputTokens: 10, OutputTokens: 10}, {CostUSD: 0.5, InputTokens: 5, OutputTokens: 1}} {
		got := after[i]
		if got.Usage.CostUSD != want.CostUSD || got.Usage.Tokens() != want.Tokens() || !got.Over || got.Role != "dev" || got.Stage != "build" || got.Agent == "" {
			t.Errorf("attempt %d: %+v", i+1, got)
		}
	}
	days, err := a.Service.Spending(ctx, api.SpendingQuery{Days: 2}) // midnight may have passed
	if err != nil {
		t.Fatal(err)
	}
	if len(days) != 1 || days[0].Known() != 3.5 || days[0].Tokens != 26 || days[0].Runs != 1 || days[0].Name == "" || days[0].Name == days[0].Project {
		t.Errorf("by day: %+v", days)
	}
	for _, bad := range []int{-1, api.MostDays + 1} {
		if _, err := a.Service.Spending(ctx, api.SpendingQuery{Days: bad}); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%d days: %v", bad, err)
		}
	}
	conflicts, err := a.Service.Conflicts(ctx, run.ID)
	if err != nil || len(conflicts) > 0 {
		t.Errorf("a run by phases has conflicts %v (%v)", conflicts, err)
	}
}
