package manager_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
)

// proposed is a run between turns, in which something is proposed.
func proposed(p core.Proposal, change func(r *core.Run)) *core.Run {
	r := &core.Run{
		ID: "r", Alias: "r", Title: "add x", Status: core.StatusActive, Head: "c5", Verified: "c5", BaseCommit: "c0", Branch: "feature/x", Limits: core.DefaultLimits(),
		Driving: core.Driving{Plan: &core.Plan{Digest: "p1"}},
		Playbook: &core.Playbook{Kind: "manager", Roles: map[string]core.Role{"boss": {}, "dev": {}, "critic": {}}, Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindManage: "boss", core.KindWork: "dev", core.KindCode: "dev", core.KindFix: "dev", core.KindReview: "critic", core.KindResolve: "dev"},
			Done:  core.Check{Kind: core.CheckCommand, Run: "make"}, Attempts: 2, Rounds: 1,
		}},
		Managing: core.Managing{Delegations: []*core.Delegation{{ID: "t7", Status: core.DelegationWaiting, Proposal: p, Key: "k7"}}, Delegated: 7},
	}
	change(r)
	return r
}

// api is a line with verified work.
func api(change func(s *core.Stage)) func(r *core.Run) {
	return func(r *core.Run) {
		s := &core.Stage{ID: "api", Status: core.StageOpen, Round: 1, Base: "c1", Line: "c2", Branch: "feature/x-api-1", Tasks: []*core.Task{
			{ID: "api.r1.t1", Status: core.TaskDone, Attempts: []*core.Attempt{{ID: "api.r1.t1.a1", Status: core.AttemptEnded}}},
		}}
		change(s)
		r.Stages = append(r.Stages, s)
	}
}

// TestWhatBecomesOfAProposal: the work that it asks for, on the line that it names or
// one of its own, with the checks that hold for all, and as the delegation it is.
func TestWhatBecomesOfAProposal(t *testing.T) {
	t.Parallel()
	build, leaves := core.Check{Kind: core.CheckCommand, Run: "make"}, core.LeavesPlan("")
	all := func(of ...core.Check) core.Check { return core.Check{Kind: core.CheckAll, Of: of} }
	as := func(*core.Stage) {}
	work := func(stage, name, id string, kind core.TaskKind, done core.Check) core.TaskAdmitted {
		return core.TaskAdmitted{Task: id, Stage: stage, Round: 1, Name: name, Kind: kind, Role: "dev", Prompt: "do it", Writes: core.WritesCode, Done: done, Attempts: 2, Delegation: "t7"}
	}
	opened := func(stage, branch string) core.StageOpened {
		return core.StageOpened{Stage: stage, Round: 1, Reason: core.OpenAdvance, Base: "c5", Title: "do it", Branch: branch}
	}
	document := core.Check{Kind: core.CheckArtifact, Name: "a.md"}
	handsIn := func(admitted core.TaskAdmitted, outputs ...string) core.TaskAdmitted {
		admitted.Outputs = outputs
		return admitted
	}
	review := handsIn(work("api", "t7", "api.r1.t7", core.KindReview, all(core.Check{Kind: core.CheckArtifact, Name: "review.json"})), "review.json")
	review.Role, review.Writes = "critic", core.WritesArtifacts
	merge := core.TaskAdmitted{Task: "api.r1.merge", Stage: "api", Round: 1, Name: "merge", Kind: core.KindMerge, Act: core.ActMerge, Writes: core.WritesCode, Done: build, Delegation: "t7"}
	for name, c := range map[string]struct {
		p    core.Proposal
		line func(r *core.Run)
		want []core.Body
	}{
		"work of its own": {core.Proposal{Prompt: "do it"}, api(as),
			[]core.Body{opened("t7", "feature/x-t7-1"), work("t7", "", "t7.r1", core.KindWork, all(core.ChangesSomething(""), leaves, build))}},
		"work on a new line": {core.Proposal{Prompt: "do it", Line: "web"}, api(as),
			[]core.Body{opened("web", "feature/x-web-1"), work("web", "t7", "web.r1.t7", core.KindWork, all(core.ChangesSomething(""), leaves, build))}},
		"work on a line": {core.Proposal{Prompt: "do it", Line: "api"}, api(as),
			[]core.Body{work("api", "t7", "api.r1.t7", core.KindWork, all(core.ChangesSomething("c2"), leaves, build))}},
		"work with a document": {core.Proposal{Prompt: "do it", Line: "api", Outputs: []string{"a.md"}, Checks: []string{"make lint"}}, api(as),
			[]core.Body{handsIn(work("api", "t7", "api.r1.t7", core.KindWork, all(leaves, build, document, core.Check{Kind: core.CheckCommand, Run: "make lint"})), "a.md")}},
		"code with a document": {core.Proposal{Prompt: "do it", Kind: core.KindCode, Line: "api", Outputs: []string{"a.md"}}, api(as),
			[]core.Body{handsIn(work("api", "t7", "api.r1.t7", core.KindCode, all(core.ChangesSomething("c2"), leaves, build, document)), "a.md")}},
		"a review": {core.Proposal{Prompt: "do it", Kind: core.KindReview, Line: "api"}, api(as), []core.Body{review}},
		"a merge":  {core.Proposal{Kind: core.KindMerge, Line: "api"}, api(as), []core.Body{merge}},
		"given up": {core.Proposal{Kind: core.KindDiscard, Line: "api", Prompt: "too slow"}, api(as),
			[]core.Body{core.StageDiscarded{Stage: "api", Round: 1, Reason: "too slow", Delegation: "t7"}}},
		"given up without a word": {core.Proposal{Kind: core.KindDiscard, Line: "api"}, api(as),
			[]core.Body{core.StageDiscarded{Stage: "api", Round: 1, Reason: "the manager gave it up", Delegation: "t7"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := (manager.Decider{}).Decide(proposed(c.p, c.line))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAManagerIsToldWhichDocumentsThereAre: those of lines that are over and of those
// that go on, each once, and none that was asked for and not handed in.
func TestAManagerIsToldWhichDocumentsThereAre(t *testing.T) {
	t.Parallel()
	handed := &core.Delivery{Artifacts: []core.Artifact{{Name: "b.md", Digest: "d"}, {Name: "a.md", Digest: "e"}}}
	r := proposed(core.Proposal{Prompt: "do it", Inputs: []string{"z.md"}}, api(func(s *core.Stage) {
		s.Tasks[0].Outputs = []string{"a.md", "b.md", "c.md"}
		s.Tasks[0].Attempts[0].Delivery, s.Tasks[0].Attempts[0].Verdict = handed, core.VerdictPassed
	}))
	r.Managing.Documents = []core.Artifact{{Name: "old.md"}, {Name: "a.md"}}
	bodies := (manager.Decider{}).Decide(r)
	want := core.TaskRefused{Delegation: "t7", Code: core.RefusedInput, Reason: `nothing provides "z.md"; what there is: b.md, a.md, old.md`}
	if len(bodies) != 1 || bodies[0] != core.Body(want) {
		t.Errorf("decided %+v, want %+v", bodies, want)
	}
}
