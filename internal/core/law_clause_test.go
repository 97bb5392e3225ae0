package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestTheSecondClauseOfALaw proposes events that one clause of a condition alone
// decides about, on both sides of it.
func TestTheSecondClauseOfALaw(t *testing.T) {
	t.Parallel()
	review := with(phased, atReview)
	gate := core.GateSubject(review(), review().Stages[2])
	other := gate
	other.Delivery = "d"
	ungated := with(review, func(r *core.Run) { r.Playbook.Phases[2].Gate = "" })
	reviewed := func(status core.ReviewStatus) func() *core.Run {
		return with(ungated, reviewer(func(t *core.Task) { t.Last().Review = &core.Review{Status: status} }))
	}
	delegation := func(status core.DelegationStatus) func() *core.Run {
		return with(managed, func(r *core.Run) { r.Managing.Delegations[0].Status = status })
	}
	begun := core.TaskAdmitted{Task: "api.r1.t2", Stage: "api", Round: 1, Attempts: 1, Delegation: "t1"}
	team := func(change func(x *core.Task)) func() *core.Run {
		return with(phased, func(r *core.Run) {
			x := r.Task("write.r1.x")
			x.Status, x.Limit, x.Counted = core.TaskWaiting, 3, 3
			change(x)
		})
	}
	reduced := func(dropped ...string) core.Body {
		return core.TeamReduced{Stage: "write", Round: 1, Role: "dev", Dropped: dropped}
	}
	me, passes := core.Person("me"), core.StagePassed{Stage: "review", Round: 1, Commit: "c1"}
	closed := with(phased, func(r *core.Run) {
		for _, s := range r.Stages {
			s.Status = core.StageDone
		}
	})
	for name, test := range map[string]struct {
		state func() *core.Run
		actor core.Actor
		body  core.Body
		says  string
	}{
		"a delegation that waits is begun":       {delegation(core.DelegationWaiting), decides, begun, ""},
		"a delegation that is open is begun":     {delegation(core.DelegationOpen), decides, begun, "does not wait to be begun"},
		"a delegation that was refused is begun": {delegation(core.DelegationRefused), decides, begun, "does not wait to be begun"},
		"a team whose specialist is spent":       {team(func(*core.Task) {}), decides, reduced("write.r1.x", "write.r1"), ""},
		"a team that is done":                    {team(func(x *core.Task) { x.Status = core.TaskDone }), decides, reduced("write.r1"), "have not all come to an end"},
		"a team at work, nobody is given up":     {team(func(x *core.Task) { x.Counted = 2 }), decides, reduced(), "have not all come to an end"},
		"an approval of what came since":         {with(review, asked, at(2, func(s *core.Stage) { s.Gate.Subject = other })), me, core.ApprovalGranted{Subject: gate}, "changed since you looked at it"},
		"work without a branch passes":           {with(ungated, at(2, func(s *core.Stage) { s.Line = "c2" })), decides, passes, ""},
		"a review that agrees":                   {reviewed(core.ReviewApproved), decides, passes, ""},
		"a review that does not":                 {reviewed(core.ReviewChangesRequested), decides, passes, "waits for an approval"},
		"rolled back at the end":                 {closed, me, core.RolledBack{From: "review", Target: "write", About: &gate}, "is not what waits now"},
	} {
		wants(t, name, core.Law(test.state(), test.actor, test.body), test.says)
	}
}

// TestWhichWorkNeedsWords: what the engine does itself is named by its kind.
func TestWhichWorkNeedsWords(t *testing.T) {
	t.Parallel()
	const needs = "needs a prompt"
	for kind, says := range map[core.TaskKind]string{
		core.KindMerge: "", core.KindPR: "", core.KindValidate: "", core.KindDiscard: "",
		core.KindCode: needs, core.KindReview: needs, core.KindResolve: needs, core.KindManage: needs, "": needs,
	} {
		wants(t, fmt.Sprintf("%q", kind), core.Law(managed(), core.Person("me"), core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Kind: kind, Line: "api"}}), says)
	}
}

// TestTheBoundsOfAPlansChange tries both sides of each.
func TestTheBoundsOfAPlansChange(t *testing.T) {
	t.Parallel()
	law := func(message, file string) error {
		return core.Law(managed(), core.Person("me"), core.PlanProposed{Base: "d", Files: []core.PlanFile{{Name: "plan.md"}, {Name: file}}, Message: message})
	}
	longest, none := strings.Repeat("x", core.MaxWord), "is none of the plan's documents"
	wants(t, "the longest message", law(longest, "a.md"), "")
	wants(t, "a longer message", law(longest+"x", "a.md"), "at most 2048 are possible")
	wants(t, "a message with a zero byte", law("a\x00", "a.md"), "no zero byte")
	for name, says := range map[string]string{
		"a b.c-d_e.md": "", "Größe 2.md": "", "ne\u0301.md": "", strings.Repeat("x", 100) + ".md": "",
		strings.Repeat("x", 101) + ".md": none, ".hidden.md": none, "a/b.md": none, "a+b.md": none, "a\tb.md": none, ".md": none, "a.MD": none, "a": none, "": none,
	} {
		wants(t, fmt.Sprintf("a document %.20q", name), law("m", name), says)
	}
}

// TestTheBoundsOfCalls: a name has at most so many bytes, and the newest calls are known.
func TestTheBoundsOfCalls(t *testing.T) {
	t.Parallel()
	message := func(call string) core.MessageSent {
		return core.MessageSent{Voice: core.VoiceUser, Text: "x", Call: call}
	}
	longest := strings.Repeat("c", core.MaxCall)
	wants(t, "the longest name", core.Law(managed(), core.Person("me"), message(longest)), "")
	wants(t, "a longer name", core.Law(managed(), core.Person("me"), message(longest+"c")), "has 65 bytes, at most 64 are possible")
	r := managed()
	for n := range 65 {
		if got, want := len(r.Calls), min(n, 64); got != want {
			t.Fatalf("after %d calls, %d are known", n, got)
		}
		r = deed{actor: core.Person("me"), body: message(fmt.Sprint("c", n))}.folded(t, r, int64(n+1))
	}
	r = deed{actor: core.Person("me"), body: message("")}.folded(t, r, 66)
	if len(r.Calls) != 64 || r.Calls[0].Call != "c1" || r.Calls[63].Call != "c64" {
		t.Errorf("%d calls are known, from %+v", len(r.Calls), r.Calls[0])
	}
	const before = "this call was carried out before"
	for call, says := range map[string]string{"c0": "", "c1": before, "c64": before, "": ""} {
		wants(t, fmt.Sprintf("the call %q", call), core.Law(r, core.Person("me"), message(call)), says)
	}
	if r.Heard(core.ToolPlan, "c1") != nil || r.Heard(core.ToolMessage, "") != nil {
		t.Error("a call of another tool is taken for this one")
	}
}
