package cockpit_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
)

// TestARunThatNoEngineCanWorkOnSaysSo on its own page, in addition to what else it waits for, and in the inbox.
func TestARunThatNoEngineCanWorkOnSaysSo(t *testing.T) {
	run := api.Run{ID: "r1", Alias: "r1", Status: "active", Stranded: "no engine can work on this project; on attic: no robot: start one"}
	svc := &apitest.Service{Waiting: []api.Waiting{{Kind: api.WaitStranded, Run: run, Reason: "on attic: no robot", Next: "start one where it is"}}}
	svc.Put(api.RunDetail{Run: run})
	h := serve(t, svc, api.RoleViewer)
	for address, says := range map[string][]string{
		"/runs/r1": {"No engine works on this run", "on attic: no robot"},
		"/inbox":   {"on attic: no robot", "start one where it is"},
	} {
		_, body := get(t, h, address)
		for _, want := range says {
			if !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
	}
}

// TestAProjectThatNoEngineCanWorkOnSaysSo in the list of projects and on its own page, also if nothing of it is in the inbox.
func TestAProjectThatNoEngineCanWorkOnSaysSo(t *testing.T) {
	project := api.Project{ID: "p1", Name: "shop", Status: "active", State: api.ProjectStranded, Reason: "no engine can work on this project; on attic: no robot"}
	waits := []api.Waiting{{Kind: api.WaitStranded, Project: "shop", Run: api.Run{ID: "r1", Alias: "r1"}, Reason: "see there"}}
	for _, waiting := range [][]api.Waiting{nil, waits} {
		svc := &apitest.Service{Waiting: waiting, ProjectList: []api.Project{project}, ProjectAnswer: api.ProjectDetail{Project: project}}
		h := serve(t, svc, api.RoleViewer)
		for _, address := range []string{"/", "/projects/shop"} {
			if _, body := get(t, h, address); !strings.Contains(body, "on attic: no robot") {
				t.Errorf("%s does not say why", address)
			}
		}
	}
}
