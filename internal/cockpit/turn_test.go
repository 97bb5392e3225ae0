package cockpit_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
)

// TestARunThatWaitsItsTurnSaysWhy: in the list and on its page.
func TestARunThatWaitsItsTurnSaysWhy(t *testing.T) {
	run := api.Run{ID: "r1", Alias: "r1", Status: "active", Turn: "waits its turn: 1 of 1 attempts at work (calm-fox), limits.parallel"}
	svc := &apitest.Service{}
	svc.Put(api.RunDetail{Run: run})
	h := serve(t, svc, api.RoleViewer)
	for _, address := range []string{"/runs", "/runs/r1"} {
		if _, body := get(t, h, address); !strings.Contains(body, "aits its turn: 1 of 1 attempts at work (calm-fox), limits.parallel") {
			t.Errorf("%s does not say why the run waits", address)
		}
	}
}
