package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestWhatWasHandedInIsLookedAt: a credential or a program may be gone when the work is
// done; then the work counts, and another attempt is not called hopeless.
func TestWhatWasHandedInIsLookedAt(t *testing.T) {
	nothing := &core.Delivery{Empty: true}
	code := &core.Delivery{Commit: "c1"}
	document := &core.Delivery{Empty: true, Artifacts: []core.Artifact{{Name: "plan.md"}}}
	for _, c := range []struct {
		class    agent.Class
		started  bool
		delivery *core.Delivery
		want     bool
	}{
		{agent.ClassAuth, true, nil, true},
		{agent.ClassAuth, true, nothing, true},
		{agent.ClassAuth, true, code, false},
		{agent.ClassAuth, true, document, false},
		{agent.ClassMissing, true, nothing, true},
		{agent.ClassMissing, true, code, false},
		{agent.ClassCrashed, true, nothing, false},
		{"", false, nil, true},
	} {
		exit := shim.Exit{Hopeless: !c.started}
		exit.Outcome.Class = c.class
		if got := hopeless(exit, core.AttemptExited{Delivery: c.delivery}); got != c.want {
			t.Errorf("%q with %+v: hopeless is %t", c.class, c.delivery, got)
		}
	}
}
