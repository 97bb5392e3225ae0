package prompt

import (
	"fmt"
	"strings"
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

// TestAssignments: what each kind of task of a managed run is told to do.
func TestAssignments(t *testing.T) {
	r := project()
	r.Driving.Plan = &core.Plan{Digest: "d", Steps: []core.Step{{ID: "1", Title: "Store the cart", Text: "Keep it in SQLite.\n\n# Not a heading"}}}
	stage := func(id string) *core.Stage {
		return &core.Stage{ID: id, Branch: "feature/cart-" + id + "-1", Base: "0123456789abcdef"}
	}
	conflict, failing, wish := stage("step-1"), stage("step-1"), stage("change-1")
	conflict.Conflict = &core.Unmerged{Into: "fedcba9876543210", Files: []string{"cart.go", "store.go"}}
	failing.Conflict = &core.Unmerged{Into: "fedcba9876543210", Results: []core.CheckResult{{Check: "command: go vet", Passed: true}, {Check: "command: go test", Detail: "FAIL cart"}}}
	wish.Wish = &core.Changes{ID: "1", Text: "Make it `blue`."}
	named := stage("change-2")
	named.Wish = &core.Changes{ID: "2", Text: "Make it red.", Source: "ada"}
	waves := inWaves()
	delegated := waves.Stage("cart-api")
	delegated.Conflict = conflict.Conflict
	var b strings.Builder
	for _, c := range []struct {
		run    *core.Run
		stage  *core.Stage
		kind   core.TaskKind
		prompt string
	}{
		{r, stage("plan"), core.KindPlan, ""}, {r, stage("step-1"), core.KindCode, ""}, {r, stage("step-1"), core.KindWork, "Mind the locks."},
		{r, stage("api"), core.KindWork, "Write the interface."}, {r, stage("step-1"), core.KindReview, ""}, {r, stage("step-1"), core.KindFix, ""},
		{r, conflict, core.KindResolve, ""}, {r, failing, core.KindResolve, ""}, {r, wish, core.KindCode, ""}, {r, named, core.KindReview, "Look at the colour."},
		{waves, delegated, core.KindResolve, ""},
	} {
		task := &core.Task{Kind: c.kind, Prompt: c.prompt}
		phase, err := managedPhase(c.run, c.stage, task)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "=== %s of %s\n%s\n", c.kind, c.stage.ID, phase.Prompt)
	}
	golden(t, "assignments.md", []byte(b.String()))
}
