package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
)

// TestAnEmptyListIsAList and not null, whatever is listed.
func TestAnEmptyListIsAList(t *testing.T) {
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1"}})
	c, _ := engine(t, svc)
	for field, path := range map[string]string{
		"tokens":        "/v1/tokens",
		"conversations": "/v1/conversations?project=p",
		"questions":     "/v1/questions",
		"effects":       "/v1/runs/r1/effects",
		"findings":      "/v1/health",
		"facts":         "/v1/runs/r1/facts",
		"conflicts":     "/v1/runs/r1/conflicts",
		"playbooks":     "/v1/playbooks",
		"roles":         "/v1/roles",
		"projects":      "/v1/projects",
		"events":        "/v1/runs/r1/events",
	} {
		resp, body := ask(t, c, http.MethodGet, path, "")
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, `"`+field+`":[]`) {
			t.Errorf("%s: %d %.300s", path, resp.StatusCode, body)
		}
	}
}
