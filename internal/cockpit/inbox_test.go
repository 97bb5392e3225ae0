package cockpit_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatFailedIsBesideTheButton shows, where no try is left, the checks that the
// last one failed: in the inbox and on the run's page, which has the task in red.
func TestWhatFailedIsBesideTheButton(t *testing.T) {
	pause := &core.Pause{Code: core.PauseAttempts}
	svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitPause, Run: api.Run{ID: "r1", Alias: "r1"}, Reason: "its checks do not hold; command: make test", Pause: pause}}}
	task := api.Task{
		ID: "write.r1", Role: "developer", Status: core.TaskWaiting, Limit: 2, Counted: 2,
		Attempts: []api.Attempt{{N: 1, Results: []core.CheckResult{{Check: "command: make test", Detail: "one of them fails"}}}},
	}
	svc.Put(api.RunDetail{
		Run:    api.Run{ID: "r1", Alias: "r1", Status: core.StatusPaused, Reason: "its checks do not hold; command: make test", Advice: can("", about("r1", core.VerbRetry)...)},
		Pause:  pause,
		Stages: []api.Stage{{ID: "write", Status: core.StageOpen, Tasks: []api.Task{task}}},
	})
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/inbox", "/runs/r1"} {
		_, body := get(t, h, address)
		for _, want := range []string{"Its checks do not hold<", "Command <code>make test</code>", "one of them fails", "Try again", "Checked once more, then 2 new attempts."} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
		if strings.Contains(body, "Go on") {
			t.Errorf("%s offers to go on, which would come to the same", address)
		}
	}
	if _, body := get(t, h, "/runs/r1"); !strings.Contains(body, "block s-failed") || !strings.Contains(body, "no try left") {
		t.Error("the task without a try left is not drawn in red")
	}
}

// TestARunThatCannotBeReadHidesNoOther keeps the inbox usable.
func TestARunThatCannotBeReadHidesNoOther(t *testing.T) {
	gate := &core.Gate{Subject: core.Subject{Stage: "write"}}
	svc := &apitest.Service{Waiting: []api.Waiting{
		{Kind: api.WaitApproval, Run: api.Run{ID: "gone", Alias: "gone", Title: "Broken"}, Gate: gate},
		{Kind: api.WaitApproval, Run: api.Run{ID: "r1", Alias: "r1", Title: "Whole"}, Gate: gate},
	}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Title: "Whole", Stage: "write"}, Gate: gate})
	code, body := get(t, serve(t, svc, api.RoleApprover), "/inbox")
	if code != http.StatusOK || !strings.Contains(body, "It cannot be read: there is no run") || !strings.Contains(body, "Whole") || strings.Count(body, "/approve") != 1 {
		t.Errorf("%d: %s", code, body)
	}
}

// What is offered to somebody whose run is paused is what helps.
func TestAPauseSaysWhatHelps(t *testing.T) {
	for _, c := range []struct {
		code      core.PauseCode
		choice    core.Choice
		want, not string
	}{
		{core.PausePerson, core.Choice{Verb: core.VerbResume, Run: "r1"}, "It takes up where it stopped.", "Try again"},
		{core.PauseInfra, core.Choice{Verb: core.VerbRetry, Run: "r1"}, "What was lost begins anew.", "Go on"},
		{core.PauseWall, core.Choice{Verb: core.VerbResume, Run: "r1"}, "It gets the same time again.", "Try again"},
		{core.PauseBudget, core.Choice{Verb: core.VerbRaise, Run: "r1", Limit: core.LimitCost}, "/runs/r1/costs#raise", "Try again"},
		{core.PauseProject, core.Choice{Verb: core.VerbResumeProject, Project: "shop"}, "/projects/shop", "Go on"},
	} {
		pause := &core.Pause{Code: c.code}
		run := api.Run{ID: "r1", Alias: "r1", Project: "shop", Status: core.StatusPaused, Reason: "it stands still", Advice: can("", c.choice)}
		svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitPause, Run: run, Reason: run.Reason, Pause: pause}}}
		svc.Put(api.RunDetail{Run: run, Pause: pause})
		h := serve(t, svc, api.RoleApprover)
		for _, address := range []string{"/inbox", "/runs/r1"} {
			_, body := get(t, h, address)
			for _, want := range []string{"It stands still", c.want} {
				if !strings.Contains(body, want) {
					t.Errorf("%s, paused for %s, does not say %q", address, c.code, want)
				}
			}
			if strings.Contains(body, c.not) {
				t.Errorf("%s, paused for %s, says %q", address, c.code, c.not)
			}
		}
	}
}

// What is published was not checked itself: what was checked before stands beside
// the button.
func TestWhatWasCheckedIsBesideTheButton(t *testing.T) {
	passed := []core.CheckResult{{Check: "command: make test", Passed: true}}
	gate := &core.Gate{Subject: core.Subject{Stage: "publish", Commit: "abc", Ref: "refs/heads/work", Remote: "/home/ada/shop/.git"}}
	d := api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Status: core.StatusAwaiting, Stage: "publish"}, Gate: gate,
		Stages: []api.Stage{
			{ID: "step-1", Title: "Draw the cart", Tasks: []api.Task{{ID: "step-1.r1.code", Status: core.TaskDone, Attempts: []api.Attempt{{N: 1, Results: passed}}}}},
			{ID: "publish", Title: "Publish", Status: core.StageGated},
		},
	}
	svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitApproval, Run: d.Run, Gate: gate}}}
	svc.Put(d)
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/inbox", "/runs/r1"} {
		_, body := get(t, h, address)
		for _, want := range []string{"Publish waits for an approval", "Draw the cart <small>code", "<code>make test</code>", "<code>~/shop</code>"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
	}
}
