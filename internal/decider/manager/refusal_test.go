package manager_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestRefusals(t *testing.T) {
	step := core.Step{ID: "1", Title: "one"}
	tests := map[string]struct {
		before func(w *world)
		p      core.Proposal
		code   string
		says   string
	}{
		"no plan":               {nil, work(""), core.RefusedNoPlan, "there is no plan yet: write .ai/plan.md and commit it with update-plan"},
		"duplicate":             {func(w *world) { w.planned(); w.propose(work("")) }, work(""), core.RefusedDuplicate, "the same work is under way as t1"},
		"duplicate in capitals": {func(w *world) { w.planned(); w.propose(work("")) }, core.Proposal{Prompt: "Do   IT"}, core.RefusedDuplicate, "as t1"},
		"no such role":          {func(w *world) { w.planned() }, core.Proposal{Prompt: "x", Role: "ghost"}, core.RefusedRole, `there is no role "ghost" to delegate to; there are critic, dev`},
		"the manager itself":    {func(w *world) { w.planned() }, core.Proposal{Prompt: "x", Role: "boss"}, core.RefusedRole, `no role "boss"`},
		"missing input":         {func(w *world) { w.planned() }, core.Proposal{Prompt: "x", Inputs: []string{"a.md"}}, core.RefusedInput, `nothing provides "a.md"; what there is: nothing`},
		"no such kind":          {func(w *world) { w.planned() }, of("bogus", ""), core.RefusedKind, `work of kind "bogus" cannot be delegated; there are code, review`},
		"managing":              {func(w *world) { w.planned() }, of(core.KindManage, ""), core.RefusedKind, "cannot be delegated"},
		"planning waves":        {func(w *world) { w.planned() }, of(core.KindWave, ""), core.RefusedKind, "cannot be delegated"},
		"after nothing":         {func(w *world) { w.planned() }, core.Proposal{Prompt: "x", After: []string{"t9"}}, core.RefusedDependency, `it depends on "t9", but there is no such delegation`},
		"after itself":          {func(w *world) { w.planned() }, core.Proposal{Prompt: "x", After: []string{"t1"}}, core.RefusedDependency, "it cannot depend on itself"},
		"after a refused one": {func(w *world) { w.planned(); w.propose(of("bogus", "")) }, core.Proposal{Prompt: "x", After: []string{"t1"}},
			core.RefusedDependency, "it depends on t1, which was refused"},
		"for nobody": {func(w *world) { w.planned(); delete(w.run.Playbook.Project.Roles, core.KindReview) }, core.Proposal{Kind: core.KindReview, Prompt: "x"},
			core.RefusedRole, "it has no role: name one; there are critic, dev"},
		"after its own line": {func(w *world) { w.planned(); w.propose(work("api")); w.worked() }, core.Proposal{Kind: core.KindMerge, Line: "api", After: []string{"api"}},
			core.RefusedDependency, "it cannot depend on api and belong to it"},
		"bad name":        {func(w *world) { w.planned() }, work("No Name"), core.RefusedLine, `"No Name" cannot be the name of a line of work`},
		"a reserved name": {func(w *world) { w.planned() }, work("manager"), core.RefusedLine, "cannot be the name"},
		"somebody is on it": {func(w *world) { w.planned(); w.propose(work("api")) }, of(core.KindCode, "api"),
			core.RefusedLine, "t1 is working on api, and only one can write a branch at a time: wait for it, or make yours depend on t1"},
		"a merge of nothing":      {func(w *world) { w.planned() }, of(core.KindMerge, ""), core.RefusedLine, "work of kind merge is about a branch: name the branch; open are nothing"},
		"a merge of no such line": {func(w *world) { w.planned() }, of(core.KindMerge, "api"), core.RefusedLine, `there is no open line "api"`},
		"a review before work": {func(w *world) {
			w.planned()
			w.propose(work("api"))
			for range 2 {
				w.must(core.Engine(), core.AttemptExited{Attempt: w.run.Task("api.r1.t1").Last().ID, Kind: core.ExitFailed})
			}
		}, of(core.KindReview, "api"), core.RefusedLine, "nothing on api is verified yet"},
		"a merge that a review is against": {func(w *world) { w.judged("api", core.ReviewChangesRequested) }, of(core.KindMerge, "api"), core.RefusedLine, "the newest review of api requests changes"},
		"a merge that a review rejects":    {func(w *world) { w.judged("api", core.ReviewRejected) }, of(core.KindMerge, "api"), core.RefusedLine, "the newest review of api requests changes"},
		"a pull request of work under way": {func(w *world) { w.planned(); w.propose(work("")) }, of(core.KindPR, ""), core.RefusedUnfinished, "there is work under way: t1"},
		"a pull request with open lines":   {func(w *world) { w.planned(); w.propose(work("api")); w.worked() }, of(core.KindPR, ""), core.RefusedUnfinished, "these lines are neither merged nor discarded: api"},
		"a pull request with open steps":   {func(w *world) { w.planned(step) }, of(core.KindPR, ""), core.RefusedUnfinished, "these steps of the plan are not marked as done: 1"},
		"a pull request of nothing":        {nil, of(core.KindPR, ""), core.RefusedUnfinished, "there is nothing to publish yet"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := steady(t)
			if test.before != nil {
				test.before(w)
			}
			wakes := len(w.run.Managing.Wakes)
			d := w.propose(test.p)
			if d.Status != core.DelegationRefused || w.code() != test.code || !strings.Contains(d.Reason, test.says) {
				t.Errorf("%s, code %q: %s\nwant %q: %s", d.Status, w.code(), d.Reason, test.code, test.says)
			}
			if len(w.run.Managing.Wakes) != wakes {
				t.Errorf("the refusal wakes who was told of it: %+v", w.run.Managing.Wakes)
			}
			if deeds := w.run.Manager().Turn.Deeds; deeds[len(deeds)-1].Refused != d.Reason {
				t.Errorf("the turn does not know: %+v", deeds)
			}
		})
	}
}

// judged has work done on a line and reviewed.
func (w *world) judged(line string, status core.ReviewStatus) {
	w.t.Helper()
	w.planned()
	w.propose(work(line))
	w.worked()
	w.reviewed(line, status)
}

// TestTheFirstOfTwoIsKept: the duplicate is the one that was proposed later.
func TestTheFirstOfTwoIsKept(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work("api"))
	first := w.propose(core.Proposal{Prompt: "then this", After: []string{"t1"}})
	second := w.propose(core.Proposal{Prompt: "then this", After: []string{"t1"}})
	if w.run.Delegation(first.ID).Status != core.DelegationWaiting || second.Status != core.DelegationRefused {
		t.Errorf("first %s, second %s", w.run.Delegation(first.ID).Status, second.Status)
	}
}

// TestManyAreDecidedAtOnce: however many wait for one, one step decides them.
func TestManyAreDecidedAtOnce(t *testing.T) {
	for name, chain := range map[string]bool{"side by side": false, "one after another": true} {
		t.Run(name, func(t *testing.T) {
			w := steady(t)
			w.planned()
			w.propose(work("api"))
			for i := range 90 {
				after := "t1"
				if chain {
					after = core.DelegationID(i + 1)
				}
				w.propose(core.Proposal{Prompt: strings.Repeat("x", i+1), After: []string{after}})
			}
			if !chain {
				w.worked()
			} else {
				for range 2 {
					w.must(core.Engine(), core.AttemptExited{Attempt: w.run.Task("api.r1.t1").Last().ID, Kind: core.ExitFailed})
				}
			}
			for _, d := range w.run.Managing.Delegations {
				if d.Status == core.DelegationWaiting {
					t.Fatalf("%s still waits", d.ID)
				}
			}
		})
	}
}

// TestAnInputThatIsGoneFailsTheWork: who hands in a document may be given up
// while others wait for their turn to read it.
func TestAnInputThatIsGoneFailsTheWork(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(core.Proposal{Prompt: "write", Line: "docs", Outputs: []string{"notes.md"}})
	w.worked()
	w.propose(core.Proposal{Prompt: "read", Line: "api", Inputs: []string{"notes.md"}})
	if d := w.propose(of(core.KindDiscard, "docs")); d.Status != core.DelegationDone {
		t.Fatalf("%+v", d)
	}
	w.must(core.Engine(), core.AttemptExited{Attempt: w.run.Task("api.r1.t2").Last().ID, Kind: core.ExitFailed})
	if d := w.run.Delegation("t2"); d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "notes.md no longer exists") {
		t.Errorf("%s: %s", d.Status, d.Reason)
	}
}

// TestOneOfTwoGetsTheLine: what becomes ready at the same time for one line of work
// is not begun together.
func TestOneOfTwoGetsTheLine(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work("api"))
	first := w.propose(core.Proposal{Prompt: "the page", Line: "web", After: []string{"t1"}})
	second := w.propose(core.Proposal{Prompt: "its style", Line: "web", After: []string{"t1"}})
	w.worked()
	if d := w.run.Delegation(first.ID); d.Status != core.DelegationOpen {
		t.Errorf("the first is %s: %s", d.Status, d.Reason)
	}
	if d := w.run.Delegation(second.ID); d.Status != core.DelegationRefused || !strings.Contains(d.Reason, first.ID+" is working on web") {
		t.Errorf("the second is %s: %s", d.Status, d.Reason)
	}
}
