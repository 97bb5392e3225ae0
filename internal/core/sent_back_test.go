package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What a person and a review send back is remembered beyond the rounds that it leads
// to, with the round that put it right and the words of who did.
func TestWhatWasSentBackIsRemembered(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateApproval), phase("b", core.GateApproval))
	hand := func(stage string, round int, words string) {
		t.Helper()
		task := fmt.Sprintf("%s.r%d", stage, round)
		commit := "c" + task
		s.say(core.Engine(), core.AttemptStarted{Attempt: task + ".a1"})
		s.say(core.Engine(), core.AttemptExited{Attempt: task + ".a1", Kind: core.ExitFinished, Summary: words, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
		s.say(core.Engine(), core.VerifyConcluded{Task: task, Attempt: task + ".a1", Passed: true})
	}
	approve := func() {
		t.Helper()
		s.say(core.Person("ada"), core.ApprovalGranted{Subject: s.run.Current().Gate.Subject})
	}
	hand("a", 1, "first")
	s.say(core.Person("ada"), core.FeedbackGiven{Stage: "a", Text: "louder"})
	hand("a", 2, "second")
	s.say(core.Person("ada"), core.FeedbackGiven{Stage: "a", Text: "softer"})
	before := s.run.Clone()
	hand("a", 3, "third")
	approve()
	hand("b", 1, "b")
	s.say(core.Person("eve"), core.RolledBack{From: "b", Target: "a", Findings: []core.Finding{{File: "x", Issue: "wrong"}}})
	hand("a", 4, "fourth")
	approve()
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r2.a1", Kind: core.ExitNoStart})
	s.say(core.Person("ada"), core.RolledBack{From: "b", Target: "b", Text: "again"})
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r3.a1", Kind: core.ExitNoStart})
	s.say(core.Person("ada"), core.StageSkipped{Stage: "b", Source: core.SkipPerson, Reason: "enough"})
	want := []core.SentBack{
		{By: core.Person("ada"), From: "a", To: "a", Text: "louder", Since: 2, Round: 3, Said: "third"},
		{By: core.Person("ada"), From: "a", To: "a", Text: "softer", Since: 3, Round: 3, Said: "third"},
		{By: core.Person("eve"), From: "b", To: "a", Findings: []core.Finding{{File: "x", Issue: "wrong"}}, Since: 4, Round: 4, Said: "fourth"},
		{By: core.Person("ada"), From: "b", To: "b", Text: "again", Since: 3, Left: true},
	}
	if diff := cmp.Diff(want, s.run.SentBack); diff != "" {
		t.Error(diff)
	}
	if before.SentBack[0].Round != 0 {
		t.Error("a copy of the run was changed with it")
	}
}

// The state holds the newest, says how many there were before, and bounds each.
func TestWhatWasSentBackIsBounded(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateApproval), phase("b", core.GateAuto))
	findings := make([]core.Finding, 11)
	for i := range findings {
		findings[i] = core.Finding{Issue: strings.Repeat("x", 2000)}
	}
	for n := range 25 {
		s.say(core.Engine(), core.AttemptExited{Attempt: fmt.Sprintf("a.r%d.a1", n+1), Kind: core.ExitNoStart})
		s.say(core.Person("ada"), core.RolledBack{From: "a", Target: "a", Text: fmt.Sprint(n, strings.Repeat(" word", 1000)), Findings: findings})
	}
	if len(s.run.SentBack) != 20 || s.run.SentBefore != 5 || !strings.HasPrefix(s.run.SentBack[0].Text, "5 word") {
		t.Fatalf("%d held, %d before, the first is %.20q", len(s.run.SentBack), s.run.SentBefore, s.run.SentBack[0].Text)
	}
	for _, b := range s.run.SentBack {
		if len(b.Text) > 610 || len(b.Findings) != 8 || b.More != 3 || len(b.Findings[0].Issue) > 310 {
			t.Fatalf("%d bytes of text, %d findings of %d bytes, %d more", len(b.Text), len(b.Findings), len(b.Findings[0].Issue), b.More)
		}
	}
	if len(findings[0].Issue) != 2000 {
		t.Error("the event's own findings were cut")
	}
}
