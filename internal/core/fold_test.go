package core_test

import (
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
}

func newScript(t *testing.T, limits core.Limits, list ...core.Phase) *script {
	s := &script{t: t, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	s.say(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Base: "main", BaseCommit: "c0", Branch: "feature/x", Limits: limits,
		Playbook: core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}, Phases: list},
	})
	return s
}

// say commits an event and what the decider makes of it.
func (s *script) say(actor core.Actor, body core.Body) {
	s.t.Helper()
	s.add(actor, body)
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

func (s *script) add(actor core.Actor, body core.Body) {
	s.t.Helper()
	if err := core.Law(s.run, actor, body); err != nil {
		s.t.Fatalf("%s: %v", body.Type(), err)
	}
	e, head, err := core.Seal("run/r", s.head, s.now, actor, "", body)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.run, err = core.Fold(s.run, e); err != nil {
		s.t.Fatal(err)
	}
	s.head = head
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
