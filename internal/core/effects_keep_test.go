package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWorkIsHeldBeforeItsBranchMoves: what a branch leaves behind has a ref of its
// own by then, whichever branch it is and whether it moves or goes.
func TestWorkIsHeldBeforeItsBranchMoves(t *testing.T) {
	managed := &core.Playbook{Kind: "rules", Project: &core.Management{}}
	held := core.HoldRef{Ref: "refs/kept/r/build", Commit: "c2", Reason: "rolled back"}
	for name, moves := range map[string]core.Run{
		"the run's branch": {Branch: "feature/x", BaseCommit: "c0", Playbook: &core.Playbook{}, BranchAt: "c2", Verified: "c1"},
		"a step's branch": {Driving: core.Driving{Plan: &core.Plan{}}, Playbook: managed, Stages: []*core.Stage{{
			ID: "step", Round: 1, Branch: "feature/x-step", Base: "c0", LineAt: "c2", Status: core.StageOpen,
		}}},
		"a branch that goes": {Driving: core.Driving{Plan: &core.Plan{}}, Playbook: managed, Gone: []core.Line{{Branch: "feature/x-step", At: "c2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := moves
			r.ID, r.Status = "r", core.StatusActive
			r.Keep = []core.HoldRef{held}
			if n := count[core.HoldRef](core.Effects(&r)); n != 1 {
				t.Errorf("%d refs are held", n)
			}
			if n := count[core.MoveBranch](core.Effects(&r)); n != 0 {
				t.Errorf("%d branches move before", n)
			}
			r.Keep = nil
			if n := count[core.MoveBranch](core.Effects(&r)); n != 1 {
				t.Errorf("%d branches move after", n)
			}
		})
	}
}

func count[A core.Action](actions []core.Action) (n int) {
	for _, a := range actions {
		if _, ok := a.(A); ok {
			n++
		}
	}
	return n
}
