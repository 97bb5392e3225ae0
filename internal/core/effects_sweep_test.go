package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestARunIsSweptLast: nothing is left to be done for a run whose folders are
// taken away.
func TestARunIsSweptLast(t *testing.T) {
	r := &core.Run{ID: "r", Status: core.StatusCompleted, Tell: []string{"run/r#9"}, Playbook: &core.Playbook{}}
	for _, a := range core.Effects(r) {
		if _, ok := a.(core.Sweep); ok {
			t.Error("swept before a person was told")
		}
	}
	r.Tell = nil
	actions := core.Effects(r)
	if len(actions) != 1 {
		t.Fatalf("%d actions are left", len(actions))
	}
	if _, ok := actions[0].(core.Sweep); !ok {
		t.Errorf("the last is %T", actions[0])
	}
}
