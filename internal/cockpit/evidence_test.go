package cockpit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What is approved is there to be read beside the button: a plan that nobody has
// to look for.
func TestWhatWasHandedInIsBesideTheButton(t *testing.T) {
	gate := &core.Gate{Subject: core.Subject{Stage: "plan", Round: 1}}
	d := api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Status: "awaiting_approval", Stage: "plan"}, Gate: gate,
		Stages: []api.Stage{{ID: "plan", Status: "gated", Tasks: []api.Task{{ID: "plan.r1", Attempts: []api.Attempt{
			{N: 1, Artifacts: []core.Artifact{{Name: "plan.md", Digest: "d1", Size: 9}, {Name: "long.md", Digest: "d2", Size: 99999}, {Name: "data.json", Digest: "d3"}}},
		}}}}},
	}
	svc := &apitest.Service{Documents: map[string]string{
		"d1": "# Steps\n\n1. Add **sub**\n\n" + evil, "d2": "The beginning.\n\n" + strings.Repeat("word ", 20_000) + "\n\nThe end.", "d3": "{\"raw\": 1}",
	}}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: gate}}
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/inbox", "/runs/r1"} {
		_, body := get(t, h, address)
		for _, want := range []string{"<li>Add <strong>sub</strong></li>", "The beginning.", "read all of it", "/runs/r1/documents/d2/view", ">data.json</a>"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
		for _, bad := range []string{"The end.", "<script>alert", "raw&#34;", "Look at the changes"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s holds %q", address, bad)
			}
		}
	}
	d.Changed = true
	svc.Put(d)
	if _, body := get(t, h, "/runs/r1"); !strings.Contains(body, `href="/runs/r1/changes">Look at the changes`) {
		t.Error("the changes cannot be looked at")
	}
}

func TestWhatWasCheckedBeforePublishingIsBesideTheButton(t *testing.T) {
	gate := &core.Gate{Subject: core.Subject{Stage: "publish", Round: 1, Ref: "refs/heads/x"}}
	d := api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Status: "awaiting_approval", Stage: "publish"}, Gate: gate,
		Stages: []api.Stage{{ID: "publish", Status: "gated", Tasks: []api.Task{{ID: "publish.r1", Act: "pull-request", Prepared: []core.CheckResult{{Check: "command: make test", Passed: true}}}}}},
	}
	svc := &apitest.Service{}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: gate}}
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/inbox", "/runs/r1"} {
		if _, body := get(t, h, address); !strings.Contains(body, "Checked again") || !strings.Contains(body, "Command <code>make test</code>") {
			t.Errorf("%s does not say what was checked", address)
		}
	}
}

// A failed check may be the echo of an agent that never ran: how the attempt itself
// ended is said beside it.
func TestHowTheAttemptEndedIsBesideItsFailedChecks(t *testing.T) {
	pause := &core.Pause{Code: core.PauseAttempts, Stage: "build", Reason: "Build: 3 attempts", Advice: core.Advice{Choices: []core.Choice{{Verb: core.VerbRetry, Run: "r1"}}}}
	d := api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Status: "paused", Stage: "build", Reason: pause.Reason, Advice: pause.Advice}, Pause: pause,
		Stages: []api.Stage{{ID: "build", Status: "open", Tasks: []api.Task{{ID: "build.r1", Status: "waiting", Limit: 3, Counted: 3, Attempts: []api.Attempt{{
			ID: "build.r1.a3", N: 3, Status: "ended", Exit: "failed", Message: "exit 127: agent.sh: no such file",
			Verdict: "failed", Results: []core.CheckResult{{Check: "changed: **", Kind: core.CheckChanged, Detail: "Nothing changed."}},
		}}}}}},
	}
	for exit, want := range map[core.ExitKind]string{"failed": "The agent failed: ", "no_start": "The agent did not start: ", "timeout": "The agent timed out: ",
		"lost": "The agent was lost: ", "cancelled": "The agent was stopped: "} {
		d.Stages[0].Tasks[0].Attempts[0].Exit = exit
		svc := &apitest.Service{}
		svc.Put(d)
		svc.Waiting = []api.Waiting{{Kind: api.WaitPause, Run: d.Run, Pause: pause}}
		h := serve(t, svc, api.RoleApprover)
		for _, address := range []string{"/inbox", "/runs/r1"} {
			_, body := get(t, h, address)
			if !strings.Contains(body, want+"exit 127: agent.sh: no such file") || !strings.Contains(body, "Nothing changed.") {
				t.Errorf("%s does not say how the attempt ended: %s", address, exit)
			}
		}
	}
}

// What nobody has seen is not nothing.
func TestCostThatNobodyObservedIsUnknown(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: "completed", Attempts: 2, Cost: core.CostOf(0, 2), Tokens: 9}})
	limit := 10.0
	svc.Accounts = []api.Account{{Scope: api.ScopeRun, ID: "r1", Name: "r1", Allowances: []api.Allowance{{Kind: api.LimitCost, Unpriced: 2, Limit: &limit}}}}
	svc.Books.Days = []api.DaySpending{{Day: time.Now().UTC().Truncate(24 * time.Hour), Project: "p", Name: "shop", Runs: 1, Attempts: 2, Cost: core.CostOf(0, 2), Tokens: 9}}
	svc.Books.Attempts = []api.AttemptSpending{{Attempt: "a.r1.a1", Task: "a.r1", Stage: "a", Role: "developer", At: time.Now(), Over: true, Usage: core.Usage{InputTokens: 9}}}
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/runs", "/runs/r1", "/runs/r1/costs"} {
		if _, body := get(t, h, address); strings.Contains(body, "$0.00") || !strings.Contains(strings.ToLower(body), "unknown") {
			t.Errorf("%s says that two attempts cost nothing", address)
		}
	}
	if _, body := get(t, h, "/runs/r1/costs"); !strings.Contains(body, ">without 1 attempt that reported none</text>") {
		t.Error("the plot of a run does not say what is missing in it")
	}
	if _, body := get(t, h, "/costs"); !strings.Contains(body, ">?</text>") || !strings.Contains(body, "? marks days with attempts that reported no cost") {
		t.Error("the plot by day shows nothing of a day whose cost is unknown")
	}
}

// Figures and sums of all projects say so, too; a day on which nobody worked did cost nothing.
func TestSumsOfCostSayWhatIsMissing(t *testing.T) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	tokens := map[string]string{"unknown": "; 9 tokens"} // and nothing of tokens that nobody reported
	for want, days := range map[string][]api.DaySpending{
		"unknown":        {{Day: today, Project: "p", Name: "shop", Runs: 1, Attempts: 2, Cost: core.CostOf(0, 2), Tokens: 9}},
		"at least $0.50": {{Day: today, Project: "p", Name: "shop", Runs: 1, Cost: core.CostOf(0, 2)}, {Day: today, Project: "q", Name: "notes", Runs: 1, Cost: core.CostOf(0.5, 0)}},
	} {
		svc := &apitest.Service{}
		svc.Books.Days = days
		_, body := get(t, serve(t, svc, api.RoleApprover), "/costs")
		for _, said := range []string{"by the day runs started: " + want + " in all", "Cost: " + want + tokens[want] + " in", `<td class="num">` + want + "</td>"} {
			if !strings.Contains(body, said) {
				t.Errorf("the page does not say %q", said)
			}
		}
	}
}
