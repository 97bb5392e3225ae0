package dispatch

import (
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestACheckIsNotAnsweredByTheSetup: both may be the same command, and an engine
// that takes over finds the checkout set up.
func TestACheckIsNotAnsweredByTheSetup(t *testing.T) {
	s := newSurf(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.Commands = local.New(local.Options{Worker: []string{self, shimtest.RoleWorker}, Folder: s.Layout.Folder})
	s.Environ = os.LookupEnv
	s.run.Isolation, s.run.Playbook.Setup = "none", "echo ran >>ran; cat ran"
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	engine := func() *checkout {
		return &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: "api.r1.a1"}
	}
	again := check.Command{Shell: s.run.Playbook.Setup, Timeout: waittest.Limit, OutputCap: 1 << 20}
	before := engine()
	if err := before.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := engine()
	first, err := after.Run(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	if first.Output != "ran\nran\n" {
		t.Errorf("after a restart the check said %q", first.Output)
	}
	found, err := before.Run(t.Context(), again)
	if err != nil || found.Digest != first.Digest {
		t.Errorf("the same check gave %q without a restart, %v", found.Output, err)
	}
}
