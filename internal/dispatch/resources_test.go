package dispatch

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

func TestBoundsOfARun(t *testing.T) {
	run := &core.Run{}
	if got := Resources(run, Layout{State: "/state"}); got != (shim.Resources{}) {
		t.Errorf("a run without bounds has %+v", got)
	}
	run.Resources = core.Resources{Attempt: core.ResourceLimits{Memory: 1, Processes: 2, CPU: 3, Disk: 4}, Total: core.ResourceLimits{Memory: 5}}
	got := Resources(run, Layout{State: "/state"})
	if got.Limits != (resource.Limits{Memory: 1, Processes: 2, CPU: 3, Disk: 4}) || got.Total.Memory != 5 || got.Shared != "/state/resources" {
		t.Errorf("%+v", got)
	}
	if other := Resources(run, Layout{State: "/other"}); other.Owner == got.Owner || !strings.HasPrefix(got.Owner, "stellwerk-") {
		t.Errorf("two state folders have the owners %s and %s", got.Owner, other.Owner)
	}
}

// TestALimitIsToldWithTheEnd, and not of an attempt that finished in spite of it.
func TestALimitIsToldWithTheEnd(t *testing.T) {
	took := &shim.Consumption{
		Usage: resource.Usage{PeakMemory: 7, CPUSeconds: 1}, Held: resource.Holding{Memory: resource.Cgroup1},
		Breach: &resource.Breach{Resource: resource.Memory, Value: 1 << 30, Limit: 1 << 30},
	}
	const clause = "killed at 1.0 GiB of memory, the limit of an attempt"
	failed := shim.Exit{Reason: shim.ReasonExited, ExitCode: 137, Resources: took, Outcome: agent.Outcome{Message: "Killed"}}
	if got := message(t.TempDir(), failed); got != clause+": Killed" {
		t.Errorf("%q", got)
	}
	failed.Outcome.Message = ""
	if got := message(t.TempDir(), failed); got != clause {
		t.Errorf("%q", got)
	}
	finished := shim.Exit{Reason: shim.ReasonExited, Resources: took, Outcome: agent.Outcome{OK: true}}
	if got := message(t.TempDir(), finished); got != "" {
		t.Errorf("%q", got)
	}
	got := consumption(finished)
	if got.Breach != clause || got.PeakMemory != 7 || got.CPUSeconds != 1 || !strings.HasPrefix(got.Held, "memory: cgroup v1") {
		t.Errorf("%+v", got)
	}
	if consumption(shim.Exit{}) != nil {
		t.Error("an attempt without bounds has a consumption")
	}
}
