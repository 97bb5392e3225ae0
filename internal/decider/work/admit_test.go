package work_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// TestWhatIsAskedOfATask: whose it is, what it may write, and what must hold at its
// end. Work must change something and leave the plan alone, a review must be handed
// in, and a merge put right must contain both sides.
func TestWhatIsAskedOfATask(t *testing.T) {
	build := core.Check{Kind: core.CheckCommand, Run: "make"}
	lint := core.Check{Kind: core.CheckCommand, Run: "make lint"}
	all := func(of ...core.Check) core.Check { return core.Check{Kind: core.CheckAll, Of: of} }
	review := core.Check{Kind: core.CheckArtifact, Name: "review.json"}
	changed := all(core.ChangesSomething("c3"), core.LeavesPlan(""), build, lint)
	task := func(kind core.TaskKind, role string, done core.Check) core.TaskAdmitted {
		return core.TaskAdmitted{
			Task: "step-1.r2.x", Stage: "step-1", Round: 2, Name: "x", Kind: kind, Role: role,
			Writes: core.WritesCode, Done: done, Attempts: 3, Timeout: time.Hour,
		}
	}
	reviewing := task(core.KindReview, "critic", review)
	reviewing.Writes, reviewing.Outputs = core.WritesArtifacts, []string{"review.json"}
	merging := task(core.KindMerge, "", all(build, lint))
	merging.Act, merging.Attempts, merging.Timeout = core.ActMerge, 0, 0
	for name, c := range map[string]struct {
		kind core.TaskKind
		role string
		want core.TaskAdmitted
	}{
		"code":                       {core.KindCode, "", task(core.KindCode, "dev", changed)},
		"code, by who is named":      {core.KindCode, "artist", task(core.KindCode, "artist", changed)},
		"a fix":                      {core.KindFix, "", task(core.KindFix, "medic", changed)},
		"work":                       {core.KindWork, "dev", task(core.KindWork, "dev", changed)},
		"a review":                   {core.KindReview, "", reviewing},
		"a merge, whoever is named":  {core.KindMerge, "dev", merging},
		"a merge that is put right":  {core.KindResolve, "", task(core.KindResolve, "judge", all(core.Check{Kind: core.CheckMerge, Into: "c9", From: "c3"}, core.LeavesPlan("c9"), build, lint))},
		"what the playbook asks for": {core.KindValidate, "dev", task(core.KindValidate, "dev", all(build, lint))},
	} {
		r := &core.Run{Playbook: &core.Playbook{Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindCode: "dev", core.KindFix: "medic", core.KindReview: "critic", core.KindResolve: "judge", core.KindMerge: "nobody"},
			Done:  all(build, lint), Attempts: 3, Timeout: time.Hour,
		}}}
		s := &core.Stage{ID: "step-1", Round: 2, Line: "c3", Conflict: &core.Unmerged{Into: "c9"}}
		if diff := cmp.Diff(c.want, work.Admit(r, s, c.kind, "x", c.role)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	for name, c := range map[string]struct {
		check core.Check
		want  []core.Check
	}{"one check": {build, []core.Check{build}}, "several": {all(build, lint), []core.Check{build, lint}}, "none": {core.Check{}, nil}, "either": {core.Check{Kind: core.CheckAny, Of: []core.Check{build, lint}}, []core.Check{{Kind: core.CheckAny, Of: []core.Check{build, lint}}}}} {
		if diff := cmp.Diff(c.want, work.Parts(c.check)); diff != "" {
			t.Errorf("parts of %s:\n%s", name, diff)
		}
	}
}

// TestTasksOfAKindAreNumbered: no two of a round have the same name.
func TestTasksOfAKindAreNumbered(t *testing.T) {
	s := &core.Stage{}
	for _, want := range []string{"fix", "fix2", "fix3"} {
		if got := work.Name(s, core.KindFix); got != want {
			t.Errorf("after %d tasks the next is %q, want %q", len(s.Tasks), got, want)
		}
		s.Tasks = append(s.Tasks, &core.Task{Kind: core.KindFix}, &core.Task{Kind: core.KindReview})
	}
}

// TestEveryRoundHasABranchOfItsOwn, from where the run's branch stands, also where
// the rounds before it are no longer kept.
func TestEveryRoundHasABranchOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		stage     *core.Stage
		forgotten int
		want      core.StageOpened
	}{
		"the first":  {nil, 0, core.StageOpened{Round: 1, Reason: core.OpenAdvance, Branch: "feature/x-api-1"}},
		"the next":   {&core.Stage{ID: "api", Round: 2}, 0, core.StageOpened{Round: 3, Reason: core.OpenAdvance, Branch: "feature/x-api-3"}},
		"asked for":  {&core.Stage{ID: "api", Round: 1, Next: &core.Reopen{Reason: core.OpenRollback}}, 0, core.StageOpened{Round: 2, Reason: core.OpenRollback, Branch: "feature/x-api-2"}},
		"not kept":   {nil, 4, core.StageOpened{Round: 5, Reason: core.OpenAdvance, Branch: "feature/x-api-5"}},
		"of another": {&core.Stage{ID: "web", Round: 7}, 0, core.StageOpened{Round: 1, Reason: core.OpenAdvance, Branch: "feature/x-api-1"}},
	} {
		r := &core.Run{Head: "c7", Branch: "feature/x", Managing: core.Managing{Rounds: map[string]int{"api": c.forgotten}}}
		if c.stage != nil {
			r.Stages = []*core.Stage{c.stage}
		}
		c.want.Stage, c.want.Base, c.want.Title = "api", "c7", "The API"
		if diff := cmp.Diff(c.want, work.Begin(r, "api", "The API")); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
