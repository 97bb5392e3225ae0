package check

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

func TestReadPlanMakesItFitToBeShown(t *testing.T) {
	skips, err := ReadPlan([]byte(`{"skip": [{"phase": "docs", "reason": "nothing\u001b[31m to\n\ndo"}]}`))
	if err != nil || len(skips) != 1 {
		t.Fatal(skips, err)
	}
	for _, r := range skips[0].Reason {
		if r < ' ' {
			t.Errorf("the reason has a control character: %q", skips[0].Reason)
		}
	}
}

// TestAPlanIsHeldToItsForm: where it is read by Stellwerk, and only there.
func TestAPlanIsHeldToItsForm(t *testing.T) {
	blank := []byte(`{"skip": [{"phase": "docs", "reason": "\u00a0"}]}`) // no space to a schema
	read := core.Check{Kind: core.CheckArtifact, Name: core.PlanArtifact, Schema: role.PlanSchema()}
	if err := unreadable(read, blank); err == nil {
		t.Error("a plan without a reason is accepted")
	}
	own := core.Check{Kind: core.CheckArtifact, Name: core.PlanArtifact, Schema: json.RawMessage(`{"type": "object"}`)}
	if err := unreadable(own, blank); err != nil {
		t.Errorf("a document of that name which is no plan: %v", err)
	}
}
