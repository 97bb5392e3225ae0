package manager_test

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
)

// TestWhatAProposalWaitsFor: what it comes after, on the lines there are; it is
// refused where that will not be, and judged by its line only when its turn has come.
func TestWhatAProposalWaitsFor(t *testing.T) {
	t.Parallel()
	before := func(id, stage string, status core.DelegationStatus) func(r *core.Run) {
		return func(r *core.Run) {
			r.Managing.Delegations = slices.Insert(r.Managing.Delegations, 0, &core.Delegation{ID: id, Stage: stage, Status: status, Key: id})
		}
	}
	line := func(id string, change func(s *core.Stage)) func(r *core.Run) {
		return api(func(s *core.Stage) { s.ID = id; s.Branch = "feature/x-" + id + "-1"; change(s) })
	}
	as := func(*core.Stage) {}
	merged := func(s *core.Stage) { s.Status = core.StageDone }
	given := func(s *core.Stage) { s.Status = core.StageOmitted }
	after := func(names ...string) core.Proposal { return core.Proposal{Prompt: "do it", After: names} }
	reviewed := func(kind core.TaskKind, act core.Act, review *core.Review) func(s *core.Stage) {
		return func(s *core.Stage) {
			s.Tasks = append(s.Tasks, &core.Task{ID: "x", Kind: kind, Act: act, Status: core.TaskDone, Attempts: []*core.Attempt{{ID: "x.a1", Status: core.AttemptEnded, Review: review}}})
		}
	}
	wants := &core.Review{Status: core.ReviewChangesRequested}
	both := func(changes ...func(s *core.Stage)) func(s *core.Stage) {
		return func(s *core.Stage) {
			for _, change := range changes {
				change(s)
			}
		}
	}
	acted := func(s *core.Stage) {
		s.Tasks = append(s.Tasks, &core.Task{ID: "m", Kind: core.KindMerge, Act: core.ActMerge, Status: core.TaskDone, Attempts: []*core.Attempt{{ID: "m.a1"}}})
	}
	merge := core.Proposal{Kind: core.KindMerge, Line: "api"}
	pr := core.Proposal{Kind: core.KindPR}
	const begins, waits = "begins", "waits"
	for name, c := range map[string]struct {
		p       core.Proposal
		changes []func(r *core.Run)
		want    string // a code where it is refused
	}{
		"work that is done":                  {after("t3"), []func(r *core.Run){before("t3", "t3", core.DelegationDone)}, begins},
		"work under way":                     {after("t3"), []func(r *core.Run){before("t3", "t3", core.DelegationOpen)}, waits},
		"work that is long over":             {after("t2"), nil, begins},
		"work that never was":                {after("t9"), nil, core.RefusedDependency},
		"work that failed":                   {after("t3"), []func(r *core.Run){before("t3", "t3", core.DelegationFailed)}, core.RefusedDependency},
		"an open line":                       {after("api"), []func(r *core.Run){line("api", as)}, waits},
		"a line that is merged":              {after("api"), []func(r *core.Run){line("api", merged)}, begins},
		"a line that was given up":           {after("api"), []func(r *core.Run){line("api", given)}, core.RefusedDependency},
		"a line that is long over":           {after("api"), []func(r *core.Run){func(r *core.Run) { r.Managing.Rounds = core.Rounds{"api": 1} }}, begins},
		"what was done on a line given up":   {after("t3"), []func(r *core.Run){before("t3", "t3", core.DelegationDone), line("t3", given)}, begins},
		"what is done, its line is open":     {after("t3"), []func(r *core.Run){before("t3", "t3", core.DelegationDone), line("t3", func(s *core.Stage) { s.Tasks = nil })}, begins},
		"its own line":                       {core.Proposal{Prompt: "do it", Line: "api", After: []string{"api"}}, []func(r *core.Run){line("api", as)}, core.RefusedDependency},
		"a validation after its line":        {core.Proposal{Kind: core.KindValidate, Line: "api", After: []string{"api"}}, []func(r *core.Run){line("api", as)}, waits},
		"a pull request after its line":      {core.Proposal{Kind: core.KindPR, Line: "api", After: []string{"api"}}, []func(r *core.Run){line("api", as)}, waits},
		"who is at work on its line":         {core.Proposal{Prompt: "do it", Line: "api"}, []func(r *core.Run){line("api", as), before("t3", "api", core.DelegationOpen)}, core.RefusedLine},
		"who it comes after":                 {core.Proposal{Prompt: "do it", Line: "api", After: []string{"t3"}}, []func(r *core.Run){line("api", as), before("t3", "api", core.DelegationOpen)}, waits},
		"a validation beside who works":      {core.Proposal{Kind: core.KindValidate, Line: "api"}, []func(r *core.Run){line("api", as), before("t3", "api", core.DelegationOpen)}, begins},
		"work without a line beside others":  {core.Proposal{Prompt: "do it"}, []func(r *core.Run){before("t3", "", core.DelegationOpen)}, begins},
		"code on a new line":                 {core.Proposal{Prompt: "do it", Kind: core.KindCode, Line: "api"}, nil, begins},
		"a fix on no line":                   {core.Proposal{Prompt: "do it", Kind: core.KindFix, Line: "api"}, nil, core.RefusedLine},
		"a fix of what is to come":           {core.Proposal{Prompt: "do it", Kind: core.KindFix, Line: "api", After: []string{"t3"}}, []func(r *core.Run){before("t3", "api", core.DelegationOpen)}, waits},
		"a fix of what did not come":         {core.Proposal{Prompt: "do it", Kind: core.KindFix, Line: "api", After: []string{"t3"}}, []func(r *core.Run){before("t3", "web", core.DelegationDone)}, core.RefusedLine},
		"a merge while the branch moves":     {merge, []func(r *core.Run){line("api", as), moving}, waits},
		"work while the branch moves":        {core.Proposal{Prompt: "do it"}, []func(r *core.Run){moving}, begins},
		"a merge that a review is against":   {merge, []func(r *core.Run){line("api", reviewed(core.KindReview, "", wants))}, core.RefusedLine},
		"a merge that is approved":           {merge, []func(r *core.Run){line("api", reviewed(core.KindReview, "", &core.Review{Status: core.ReviewApproved}))}, begins},
		"a merge with a review without word": {merge, []func(r *core.Run){line("api", reviewed(core.KindReview, "", nil))}, begins},
		"a merge after the fix":              {merge, []func(r *core.Run){line("api", both(reviewed(core.KindReview, "", wants), reviewed(core.KindFix, "", nil)))}, begins},
		"a merge, another refused since":     {merge, []func(r *core.Run){line("api", both(reviewed(core.KindReview, "", wants), acted, func(s *core.Stage) { s.Tasks[2].Status = core.TaskDropped }))}, core.RefusedLine},
		"no plan that can be read":           {core.Proposal{Prompt: "do it"}, []func(r *core.Run){func(r *core.Run) { r.Driving.Plan.Trouble = "x" }}, core.RefusedNoPlan},
		"a merge without a readable plan":    {merge, []func(r *core.Run){line("api", as), func(r *core.Run) { r.Driving.Plan.Trouble = "x" }}, begins},
		"a pull request":                     {pr, nil, begins},
		"a pull request, published":          {pr, []func(r *core.Run){func(r *core.Run) { r.PullRequest = &core.PullRequest{Commit: "c5"} }}, core.RefusedUnfinished},
		"a pull request, more is merged":     {pr, []func(r *core.Run){func(r *core.Run) { r.PullRequest = &core.PullRequest{Commit: "c4"} }}, begins},
		"a pull request of a plan done":      {pr, []func(r *core.Run){func(r *core.Run) { r.Driving.Plan.Steps = []core.Step{{ID: "1", Done: true}} }}, begins},
		"a pull request of a plan not done":  {pr, []func(r *core.Run){func(r *core.Run) { r.Driving.Plan.Steps = []core.Step{{ID: "1"}} }}, core.RefusedUnfinished},
		"a pull request once it is done":     {core.Proposal{Kind: core.KindPR, After: []string{"t3"}}, []func(r *core.Run){before("t3", "t3", core.DelegationOpen)}, waits},
	} {
		t.Run(name, func(t *testing.T) {
			r := proposed(c.p, func(r *core.Run) {
				for _, change := range c.changes {
					change(r)
				}
			})
			got := waits
			for _, b := range (manager.Decider{}).Decide(r) {
				switch b := b.(type) {
				case core.TaskRefused:
					got = b.Code
				case core.TaskAdmitted:
					if b.Delegation == "t7" {
						got = begins
					}
				default:
				}
			}
			if got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}
