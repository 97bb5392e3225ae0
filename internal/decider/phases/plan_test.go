package phases_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

func planned(t *testing.T) *course {
	t.Helper()
	c := start(t,
		core.Phase{ID: "plan", Outputs: []string{core.PlanArtifact}, Gate: core.GateApproval},
		core.Phase{ID: "build", Outputs: []string{"build.md"}, Gate: core.GateAuto},
		core.Phase{ID: "docs", Outputs: []string{"docs.md"}, Gate: core.GateAuto, Skippable: true},
		core.Phase{ID: "review", Outputs: []string{"review.md"}, Gate: core.GateApproval},
	)
	c.skip["plan"] = []core.SkipProposal{{Stage: "docs", Reason: "none needed"}, {Stage: "build", Reason: "x"}}
	c.work()
	return c
}

func TestAnApprovedPlanSkips(t *testing.T) {
	c := planned(t)
	gate := c.run.Current().Gate
	if len(gate.Skips) != 1 || gate.Skips[0].Stage != "docs" || len(gate.Findings) != 1 {
		t.Fatalf("the gate shows %+v and %+v", gate.Skips, gate.Findings)
	}
	c.approve()
	c.want("docs", core.StageOmitted, 0)
	c.want("build", core.StageDone, 1)

	// What comes after the plan is redone under the same plan.
	c.rollBack("build")
	c.want("docs", core.StageOmitted, 0)

	// Another plan asks anew.
	c.skip["plan"] = nil
	c.rollBack("plan")
	c.approve()
	c.want("docs", core.StageDone, 1)
}

func TestAPersonInsistsOnAStage(t *testing.T) {
	c := planned(t)
	c.approve()
	c.rollBack("docs")
	c.want("docs", core.StageDone, 1)

	// It stays wanted when an earlier stage is redone, until there is another plan.
	c.rollBack("build")
	c.want("docs", core.StageDone, 2)
	c.rollBack("plan")
	c.approve()
	c.want("docs", core.StageOmitted, 2)
}

// TestNoSkipWithoutAnApproval: neither a plan before its approval nor a forged
// reference to one leaves anything out.
func TestNoSkipWithoutAnApproval(t *testing.T) {
	c := planned(t)
	decider := core.DecisionActor(phases.Decider{})
	skip := core.StageSkipped{Stage: "docs", Source: core.SkipPlan, Plan: c.run.Current().Gate.Event}
	if err := core.Law(c.run, decider, skip); err == nil {
		t.Error("a plan that nobody approved leaves a stage out")
	}
	asked := core.ApprovalRequested{Subject: c.run.Current().Gate.Subject, Skips: []core.SkipProposal{{Stage: "review"}}}
	proposed := c.run.Current().Gate.Skips
	c.run.Current().Status, c.run.Status = core.StageOpen, core.StatusActive
	if err := core.Law(c.run, decider, asked); err == nil {
		t.Error("a gate shows what the plan does not propose")
	}
	asked.Skips = proposed
	if err := core.Law(c.run, decider, asked); err != nil {
		t.Errorf("a gate that shows what the plan proposes is refused: %v", err)
	}
}
