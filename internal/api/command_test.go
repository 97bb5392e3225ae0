package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestALimitIsMoreThanNothing: one that is ignored would let a run go on as it was,
// and whoever raised it would wonder.
func TestALimitIsMoreThanNothing(t *testing.T) {
	svc := history("r1", 0)
	c, _ := engine(t, svc)
	for _, field := range []string{"max_cost_usd", "max_tokens", "max_project_cost_usd", "max_project_tokens", "max_project_time", "max_project_attempts"} {
		for _, value := range []string{"0", "-1"} {
			resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/resume", `{"`+field+`":`+value+`}`)
			if p := problem(t, resp, body); resp.StatusCode != http.StatusUnprocessableEntity || p.Code != core.CodeInvalid || !strings.Contains(p.Detail, field) {
				t.Errorf("%s %s: %d %s", field, value, resp.StatusCode, body)
			}
		}
	}
	for _, field := range []string{"max_attempt_cost_usd", "max_attempt_tokens"} {
		resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/retry", `{"`+field+`":0}`)
		if p := problem(t, resp, body); resp.StatusCode != http.StatusUnprocessableEntity || p.Code != core.CodeInvalid || !strings.Contains(p.Detail, field) {
			t.Errorf("%s: %d %s", field, resp.StatusCode, body)
		}
	}
	if calls := svc.Calls(); len(calls) != 0 {
		t.Errorf("it came to %v", calls)
	}
	if resp, body := ask(t, c, http.MethodPost, "/v1/runs/r1/resume", `{"max_cost_usd":0.5,"max_project_attempts":1}`); resp.StatusCode != http.StatusOK {
		t.Errorf("limits that are some: %d %s", resp.StatusCode, body)
	}
}
