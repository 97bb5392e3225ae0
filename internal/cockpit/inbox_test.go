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
	svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitPause, Run: api.Run{ID: "r1", Alias: "r1"}, Pause: &core.Pause{Code: core.PauseAttempts}}}}
	task := api.Task{
		ID: "write.r1", Role: "developer", Status: string(core.TaskWaiting), Limit: 1, Counted: 1,
		Attempts: []api.Attempt{{N: 1, Results: []core.CheckResult{{Check: "command: make test", Detail: "one of them fails"}}}},
	}
	svc.Put(api.RunDetail{
		Run:    api.Run{ID: "r1", Alias: "r1", Status: string(core.StatusPaused), Reason: "its checks do not hold"},
		Stages: []api.Stage{{ID: "write", Status: string(core.StageOpen), Tasks: []api.Task{task}}},
	})
	h := serve(t, svc, api.RoleApprover)
	for _, address := range []string{"/inbox", "/runs/r1"} {
		_, body := get(t, h, address)
		for _, want := range []string{"one of them fails", "Try again"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
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
	if code != http.StatusOK || !strings.Contains(body, "it cannot be read: there is no run") || !strings.Contains(body, "Whole") || strings.Count(body, "/approve") != 1 {
		t.Errorf("%d: %s", code, body)
	}
}
