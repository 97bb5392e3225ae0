package demo

import (
	"slices"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestFindingsThatWereApproved: who approves a review with its findings is not told
// that nothing was found.
func TestFindingsThatWereApproved(t *testing.T) {
	review := core.Subject{Stage: "review", Round: 1, Delivery: "d"}
	asked := core.ApprovalRequested{Subject: review, Findings: []core.Finding{{Issue: "the empty name"}}, Suggestion: "implement"}
	skips := core.ApprovalRequested{Subject: review, Findings: []core.Finding{{Issue: "frontend can be skipped"}}}
	sentBack := core.RolledBack{From: "review", Target: "implement"}
	for _, test := range []struct {
		want   string
		bodies []core.Body
	}{
		{"1 × you approved a review despite its findings.", []core.Body{asked, core.ApprovalGranted{Subject: review}}},
		{"1 × the run was sent back with findings, and the rest was done again.", []core.Body{asked, sentBack}},
		{"1 × the run was sent back with findings; 1 × you approved a review despite its findings.", []core.Body{asked, sentBack, asked, core.ApprovalGranted{Subject: review}}},
		{"0 × the run was sent back with findings, and the rest was done again.", []core.Body{core.ApprovalRequested{Subject: review}, core.ApprovalGranted{Subject: review}}},
		{"0 × the run was sent back with findings, and the rest was done again.", []core.Body{skips, core.ApprovalGranted{Subject: review}}},
	} {
		var head core.Head
		var events []core.Event
		for _, body := range test.bodies {
			e, next, err := core.Seal("run/1", head, time.Unix(1, 0), core.Engine(), "", body)
			if err != nil {
				t.Fatal(err)
			}
			events, head = append(events, e), next
		}
		lines, err := Explain("a", "/repo", "/state", events, nil)
		if err != nil || !slices.Contains(lines, test.want) {
			t.Errorf("%q is missing in %q, %v", test.want, lines, err)
		}
	}
}
