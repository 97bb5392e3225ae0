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
