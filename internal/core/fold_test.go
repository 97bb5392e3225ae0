package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// script plays events on a run with a clock of its own.
type script struct {
	t    *testing.T
	run  *core.Run
	head core.Head
	now  time.Time
	// cause is the event that a decision is made upon; "" for what nobody decided.
	cause string
}

func newScript(t *testing.T, limits core.Limits, list ...core.Phase) *script {
	s := &script{t: t, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	s.say(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Base: "main", BaseCommit: "c0", Branch: "feature/x", Limits: limits,
		Playbook: core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}, "critic": {Name: "critic"}}, Phases: list},
	})
	return s
}

// say commits an event and what the decider makes of it.
func (s *script) say(actor core.Actor, body core.Body) {
	s.t.Helper()
	s.cause = ""
	s.cause = s.add(actor, body)
	for {
		bodies := core.Decide(s.run, phases.Decider{})
		if len(bodies) == 0 {
			return
		}
		for _, b := range bodies {
			s.add(core.ActorFor(s.run, phases.Decider{}, b), b)
		}
	}
}

func (s *script) add(actor core.Actor, body core.Body) string {
	s.t.Helper()
	if err := core.Law(s.run, actor, body); err != nil {
		s.t.Fatalf("%s: %v", core.TypeOf(body), err)
	}
	e, head, err := core.Seal("run/r", s.head, s.now, actor, s.cause, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.run, err = core.Fold(s.run, e); err != nil {
		s.t.Fatal(err)
	}
	s.head = head
	return e.ID
}

func (s *script) deliver(stage, attempt, commit string) {
	s.t.Helper()
	s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
	s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
	s.say(core.Engine(), core.VerifyConcluded{Task: stage + ".r1", Attempt: attempt, Passed: true})
}

func phase(id string, gate core.GateKind) core.Phase {
	return core.Phase{ID: id, Role: "dev", Writes: core.WritesCode, Gate: gate, Attempts: 3, Timeout: time.Hour}
}

func TestWaitingForAPersonIsNotWallTime(t *testing.T) {
	limits := core.DefaultLimits()
	limits.WallTime = 10 * time.Hour
	s := newScript(t, limits, phase("a", core.GateApproval), phase("b", core.GateAuto))
	s.deliver("a", "a.r1.a1", "c1")
	s.now = s.now.Add(72 * time.Hour)
	s.say(core.Person("me"), core.ApprovalGranted{Subject: s.run.Current().Gate.Subject})
	if s.run.Status != core.StatusActive {
		t.Fatalf("after three days at the gate the run is %s: %+v", s.run.Status, s.run.Pause)
	}
	s.now = s.now.Add(11 * time.Hour)
	s.say(core.Engine(), core.TimerFired{Timer: "due"})
	if s.run.Pause == nil || s.run.Pause.Code != core.PauseWall {
		t.Fatalf("after eleven hours of work: %+v", s.run.Pause)
	}
	s.now = s.now.Add(time.Hour)
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r1.a1", Kind: core.ExitCancelled})
	s.say(core.Person("me"), core.RunResumed{})
	if s.run.Status != core.StatusActive {
		t.Fatalf("resumed, the run is %s: %+v", s.run.Status, s.run.Pause)
	}
	if left := s.run.ClockFrom.Add(limits.WallTime).Sub(s.run.Now()); left != limits.WallTime {
		t.Fatalf("resumed with %s of %s", left, limits.WallTime)
	}
}

// TestDecisionsWithoutProgressPause: each try counts, until work is verified or a person speaks.
func TestDecisionsWithoutProgressPause(t *testing.T) {
	limits := core.DefaultLimits()
	limits.Sterile, limits.Attempts = 4, 100
	endless := phase("a", core.GateAuto)
	endless.Attempts = 100
	s := newScript(t, limits, endless, phase("b", core.GateApproval))
	fails := func() (tries int) {
		for ; s.run.Pause == nil; tries++ {
			if tries > 2*limits.Sterile {
				t.Fatalf("%d tries, and the run goes on", tries)
			}
			attempt := s.run.Active()[0].ID
			s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
			s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFailed, Delivery: &core.Delivery{Commit: "c0", Empty: true}})
			if s.run.Pause == nil && len(s.run.Active()) == 0 {
				s.say(core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: attempt})
			}
		}
		return tries
	}
	first := fails()
	if s.run.Pause.Code != core.PauseSterile || first >= limits.Sterile {
		t.Errorf("%+v after %d tries", s.run.Pause, first)
	}
	s.say(core.Person("me"), core.RunResumed{})
	if again := fails(); s.run.Pause.Code != core.PauseSterile || again < first {
		t.Errorf("%+v after %d more tries, and %d at first", s.run.Pause, again, first)
	}
	s.say(core.Person("me"), core.RunResumed{})
	s.deliver("a", s.run.Active()[0].ID, "c1")
	if s.run.Pause != nil || s.run.Sterile > 1 {
		t.Errorf("after verified work: %+v, %d decisions without progress", s.run.Pause, s.run.Sterile)
	}
}

func TestAnUnsettledRollbackKeepsTheNewestWork(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateAuto))
	s.deliver("a", "a.r1.a1", "c1")
	for n, commit := range []string{"c2", "c3", "c4"} {
		attempt := core.AttemptID("b.r1", n+1)
		s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
		s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
		s.say(core.Engine(), core.VerifyConcluded{Task: "b.r1", Attempt: attempt})
	}
	if s.run.Pause == nil || s.run.Pause.Code != core.PauseAttempts {
		t.Fatalf("after three failures: %+v", s.run.Pause)
	}
	s.say(core.Person("me"), core.RolledBack{From: "b", Target: "a"})
	if got := s.run.Stage("a").Base; got != "c4" {
		t.Fatalf("the new round starts from %s", got)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: "a.r2.a1", Kind: core.ExitNoStart})
	s.say(core.Person("me"), core.RolledBack{From: "a", Target: "a", Reset: true})
	if got := s.run.Stage("a").Base; got != "c0" {
		t.Fatalf("the reset round starts from %s", got)
	}
	if len(s.run.Keep) != 1 || s.run.Keep[0].Commit != "c4" {
		t.Fatalf("the abandoned work is not held: %+v", s.run.Keep)
	}
}

// TestWhatWaitingDoesNotMendIsNotTriedAgain: a missing program or credential costs no
// attempt and is waited for by nobody; a person's retry begins anew.
func TestWhatWaitingDoesNotMendIsNotTriedAgain(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto))
	s.say(core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	s.say(core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFailed, Class: "auth", Message: "no key", Hopeless: true})
	if p := s.run.Pause; p == nil || p.Code != core.PauseInfra || !strings.Contains(p.Reason, "no key") || strings.Contains(p.Reason, "times") {
		t.Fatalf("the pause is %+v", s.run.Pause)
	}
	task := s.run.Task("a.r1")
	if task.Counted != 0 || task.Requested != 1 {
		t.Errorf("%d attempts counted, %d requested", task.Counted, task.Requested)
	}
	s.say(core.Person("me"), core.AttemptsReset{Stage: "a"})
	if task := s.run.Task("a.r1"); s.run.Pause != nil || task.Stuck || task.Requested != 2 {
		t.Errorf("after a retry: pause %+v, task %+v", s.run.Pause, task)
	}
}

func (s *script) refused(actor core.Actor, body core.Body) {
	s.t.Helper()
	if err := core.Law(s.run, actor, body); err == nil {
		s.t.Fatalf("%s is lawful", core.TypeOf(body))
	}
}

// round delivers a stage's current round.
func (s *script) round(stage, commit string) {
	s.t.Helper()
	task := core.TaskID(stage, s.run.Stage(stage).Round, "")
	attempt := core.AttemptID(task, 1)
	s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
	s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
	s.say(core.Engine(), core.VerifyConcluded{Task: task, Attempt: attempt, Passed: true})
}

func TestAResetStartsFromTheNewestCheckpoint(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateAuto), phase("c", core.GateApproval))
	s.round("a", "c1")
	s.round("b", "c2")
	s.round("c", "c3")
	s.say(core.Person("me"), core.RolledBack{From: "c", Target: "a"})
	s.round("a", "c4")
	s.round("b", "c5")
	s.round("c", "c6")
	s.say(core.Person("me"), core.RolledBack{From: "c", Target: "b", Reset: true})
	if got := s.run.Stage("b").Base; got != "c4" {
		t.Fatalf("the reset round of b starts from %s, a was redone at c4", got)
	}
}

// TestAResetTakesTheBranchBack: what was reset is held, and then nothing of the run is
// at the abandoned work any more.
func TestAResetTakesTheBranchBack(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateApproval))
	s.round("a", "c1")
	s.round("b", "c2")
	s.say(core.Engine(), core.BranchMoved{Ref: "refs/heads/feature/x", New: "c2"})
	s.say(core.Person("me"), core.RolledBack{From: "b", Target: "b", Reset: true})
	if s.run.Head != "c1" || s.run.Verified != "c1" {
		t.Errorf("the head is %s, verified is %s", s.run.Head, s.run.Verified)
	}
	if len(s.run.Keep) != 1 || s.run.Keep[0].Commit != "c2" {
		t.Fatalf("held is %+v", s.run.Keep)
	}
	s.say(core.Engine(), core.RefKept{Ref: s.run.Keep[0].Ref, Commit: "c2"})
	want := core.MoveBranch{Ref: "refs/heads/feature/x", Old: "c2", New: "c1"}
	if !slices.Contains(core.Effects(s.run), core.Action(want)) {
		t.Errorf("the branch stays: %+v", core.Effects(s.run))
	}
}

func TestAResetOfASkippedStageKeepsAHead(t *testing.T) {
	skipped := phase("b", core.GateAuto)
	skipped.Skip = true
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), skipped, phase("c", core.GateApproval))
	s.round("a", "c1")
	s.round("c", "c2")
	s.say(core.Person("me"), core.RolledBack{From: "c", Target: "b", Reset: true})
	if got := s.run.Stage("b").Base; got != "c1" {
		t.Fatalf("the round starts from %q", got)
	}
}

func TestARunCannotBeSentForward(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateApproval), phase("b", core.GateApproval))
	s.round("a", "c1")
	s.say(core.Person("me"), core.ApprovalGranted{Subject: s.run.Current().Gate.Subject})
	s.round("b", "c2")
	s.say(core.Person("me"), core.RolledBack{From: "b", Target: "a"})
	s.round("a", "c3")
	s.refused(core.Person("me"), core.RolledBack{From: "a", Target: "b"})
	s.say(core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	s.refused(core.Person("me"), core.AttemptsReset{Stage: "a"})
	s.say(core.Person("me"), core.RunResumed{})
	s.say(core.Person("me"), core.ApprovalGranted{Subject: s.run.Current().Gate.Subject})
}

func TestSkippedWorkIsNotPublished(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateAuto), phase("c", core.GateApproval))
	s.round("a", "c1")
	for n, commit := range []string{"c2", "c3", "c4"} {
		attempt := core.AttemptID("b.r1", n+1)
		s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
		s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
		s.say(core.Engine(), core.VerifyConcluded{Task: "b.r1", Attempt: attempt})
	}
	s.say(core.Person("me"), core.RolledBack{From: "b", Target: "a"})
	s.round("a", "c5")
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r2.a1", Kind: core.ExitFailed, Delivery: &core.Delivery{Commit: "c6", Tree: "c6"}})
	s.say(core.Engine(), core.VerifyConcluded{Task: "b.r2", Attempt: "b.r2.a1"})
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r2.a2", Kind: core.ExitCancelled})
	s.say(core.Person("me"), core.StageSkipped{Stage: "b", Source: core.SkipPerson})
	if s.run.Verified != "c5" || s.run.Stage("c").Base != "c5" {
		t.Fatalf("verified %s, the next stage starts from %s", s.run.Verified, s.run.Stage("c").Base)
	}
	if len(s.run.Keep) != 1 || s.run.Keep[0].Commit != "c6" {
		t.Fatalf("the unverified work is not held: %+v", s.run.Keep)
	}
}

// TestWorkThatWasSentBackIsKeptWhenItIsSkipped: a stage that is to be done again goes on
// from what it had handed in. Where it is then left out, nobody verifies that, and
// it is neither published nor lost.
func TestWorkThatWasSentBackIsKeptWhenItIsSkipped(t *testing.T) {
	s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateAuto), phase("c", core.GateApproval))
	s.round("a", "c1")
	for n, commit := range []string{"c2", "c3", "c4"} {
		attempt := core.AttemptID("b.r1", n+1)
		s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
		s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: commit, Tree: commit}})
		s.say(core.Engine(), core.VerifyConcluded{Task: "b.r1", Attempt: attempt})
	}
	s.say(core.Person("me"), core.RolledBack{From: "b", Target: "b", Text: "once more"})
	if b := s.run.Stage("b"); b.Round != 2 || b.Base != "c4" || b.Hotfix == nil || b.Hotfix.Text != "once more" || s.run.Verified != "c1" {
		t.Fatalf("round %d starts from %s with %+v, verified is %s", b.Round, b.Base, b.Hotfix, s.run.Verified)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r2.a1", Kind: core.ExitCancelled})
	s.say(core.Person("me"), core.StageSkipped{Stage: "b", Source: core.SkipPerson})
	if len(s.run.Keep) != 1 || s.run.Keep[0].Commit != "c4" {
		t.Errorf("the unverified work is not held: %+v", s.run.Keep)
	}
	if s.run.Head != "c1" || s.run.Stage("c").Base != "c1" || s.run.Stage("b").Next != nil {
		t.Errorf("the run goes on from %s, the next stage from %s, b with %+v", s.run.Head, s.run.Stage("c").Base, s.run.Stage("b").Next)
	}
}

// TestWhatAPersonSkippedStaysSkipped when the run is sent back before it; what a
// condition or a plan left out is asked about again.
func TestWhatAPersonSkippedStaysSkipped(t *testing.T) {
	for source, want := range map[core.SkipSource]core.StageStatus{
		core.SkipPerson: core.StageOmitted, core.SkipPlaybook: core.StageOmitted, core.SkipWhen: core.StageStale, core.SkipPlan: core.StageStale,
	} {
		s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto), phase("b", core.GateAuto), phase("c", core.GateApproval))
		s.round("a", "c1")
		s.say(core.Engine(), core.AttemptExited{Attempt: "b.r1.a1", Kind: core.ExitCancelled})
		s.say(core.Person("me"), core.StageSkipped{Stage: "b", Source: core.SkipPerson})
		s.run.Stage("b").Skip = source
		s.say(core.Engine(), core.AttemptExited{Attempt: "c.r1.a1", Kind: core.ExitCancelled})
		s.say(core.Person("me"), core.RolledBack{From: "c", Target: "a"})
		if got := s.run.Stage("b").Status; got != want {
			t.Errorf("skipped by %s, it is %s", source, got)
		}
		if got := s.run.Stage("c").Status; got != core.StageStale {
			t.Errorf("what came after is %s", got)
		}
	}
}

func TestOnlyWhoWasAskedForADocumentCanReplaceIt(t *testing.T) {
	plan := core.Phase{ID: "plan", Role: "dev", Writes: core.WritesArtifacts, Gate: core.GateAuto, Attempts: 3, Outputs: []string{"plan.md"}}
	s := newScript(t, core.DefaultLimits(), plan, phase("build", core.GateAuto), phase("review", core.GateAuto))
	document := func(digest string) []core.Artifact {
		return []core.Artifact{{Name: "plan.md", Digest: digest, Size: 1}}
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: "plan.r1.a1", Kind: core.ExitFinished, Delivery: &core.Delivery{Artifacts: document("approved")}})
	s.say(core.Engine(), core.VerifyConcluded{Task: "plan.r1", Attempt: "plan.r1.a1", Passed: true})
	s.say(core.Engine(), core.AttemptExited{Attempt: "build.r1.a1", Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: "c1", Tree: "c1", Artifacts: document("forged")}})
	s.say(core.Engine(), core.VerifyConcluded{Task: "build.r1", Attempt: "build.r1.a1", Passed: true})
	if got := s.run.Artifact("plan.md"); got == nil || got.Digest != "approved" {
		t.Fatalf("the plan is %+v", got)
	}
}
