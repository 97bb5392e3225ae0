package prompt

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAFixIsToldOfTheNewestReview: after conflicts were resolved, a branch is reviewed again.
func TestAFixIsToldOfTheNewestReview(t *testing.T) {
	review := func(id, issue string) *core.Task {
		found := &core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{Issue: issue}}}
		return &core.Task{ID: id, Kind: core.KindReview, Attempts: []*core.Attempt{{Review: found}}}
	}
	fix := &core.Task{ID: "s.r1.fix2", Kind: core.KindFix}
	stage := &core.Stage{ID: "s", Tasks: []*core.Task{review("s.r1.review", "old"), {ID: "s.r1.fix", Kind: core.KindFix}, review("s.r1.review2", "new"), fix}}
	got := managedHotfix(stage, fix)
	if got.From != "s.r1.review2" || len(got.Findings) != 1 || got.Findings[0].Issue != "new" {
		t.Errorf("the fix is told %+v", got)
	}
}
