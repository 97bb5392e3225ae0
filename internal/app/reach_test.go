package app_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// TestASessionDoesNotOpenTheNetwork: an open network is the person's to ask for, and a session speaks for agents.
func TestASessionDoesNotOpenTheNetwork(t *testing.T) {
	t.Parallel()
	if kind, reason := sandbox.Detect(t.Context()); kind != sandbox.Sandbox {
		tooltest.Unisolated(t, reason)
	}
	d := newDesk(t, sessionPlaybook)
	d.trust()
	_, err := d.app.Service.StartRun(d.orchestrator(), api.StartRun{
		Dir: d.dir, Goal: "x", Playbook: "tiny", Session: d.session, Isolation: string(sandbox.Sandbox), Network: "open",
	})
	if core.CodeOf(err) != core.CodeForbidden || !strings.Contains(err.Error(), "cannot open the network") {
		t.Errorf("a run with an open network: %v", err)
	}
}
