package core_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const tryOne = "a.r1.a1"

// brokered is a run whose first attempt has a broker.
func brokered(t *testing.T, l core.Limits) *script {
	s := newScript(t, l, phase("a", core.GateAuto), phase("b", core.GateAuto))
	s.say(core.Engine(), core.AttemptStarted{Attempt: tryOne, Brokered: true})
	return s
}

// want has a broker ask, after so much was spent, and returns the attempt.
func (s *script) want(seq int64, spent float64, total core.Amount) *core.Attempt {
	s.t.Helper()
	s.say(core.Engine(), core.UsageObserved{
		Attempt: tryOne, Metered: &core.Usage{CostUSD: spent}, Wants: &core.Want{Seq: seq, Amount: total},
	})
	return s.first()
}

func (s *script) first() *core.Attempt {
	_, _, a := s.run.Attempt(tryOne)
	return a
}

func (s *script) mayResume(want bool) {
	s.t.Helper()
	if err := core.Law(s.run, core.Person("me"), core.RunResumed{}); (err == nil) != want {
		s.t.Errorf("resuming with the same limits: %v", err)
	}
}

func TestNothingIsReservedWithoutLimits(t *testing.T) {
	s := brokered(t, core.DefaultLimits())
	if a := s.first(); a.Reserved != nil || s.run.Share().HeldUSD != 0 {
		t.Errorf("reserved is %+v", a.Reserved)
	}
	a := s.want(1, 2, core.Amount{USD: 1e6, Tokens: 1e9})
	if want := (core.Amount{USD: 1e6, Tokens: 1e9}); *a.Reserved != want || a.Short != nil {
		t.Errorf("a want without limits was answered with %+v, %+v", a.Reserved, a.Short)
	}
}

func TestAStartReservesAPortion(t *testing.T) {
	for name, c := range map[string]struct {
		limits core.Limits
		want   core.Amount
	}{
		"of the run's":      {core.Limits{CostUSD: 10, Tokens: 1000}, core.Amount{USD: 0.5, Tokens: 50}},
		"of the project's":  {core.Limits{Project: core.ProjectLimits{CostUSD: 20}}, core.Amount{USD: 1}},
		"of the lower":      {core.Limits{CostUSD: 40, Project: core.ProjectLimits{CostUSD: 20}}, core.Amount{USD: 1}},
		"of few":            {core.Limits{Tokens: 1}, core.Amount{}},
		"of next to no USD": {core.Limits{CostUSD: 1e-9}, core.Amount{}},
	} {
		l := core.DefaultLimits()
		l.CostUSD, l.Tokens, l.Project = c.limits.CostUSD, c.limits.Tokens, c.limits.Project
		s := newScript(t, l, phase("a", core.GateAuto))
		if diff := cmp.Diff(&c.want, s.first().Reserved); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if share := s.run.Share(); share.HeldUSD != c.want.USD || share.HeldTokens != c.want.Tokens {
			t.Errorf("%s: held is %+v", name, share)
		}
	}
}

// TestAWantIsMetAsFarAsTheLimitLeaves and its attempt goes on with what it has. The run pauses once that attempt fails.
func TestAWantIsMetAsFarAsTheLimitLeaves(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	s := brokered(t, l)
	if a := s.want(1, 0.2, core.Amount{USD: 3}); a.Reserved.USD != 3.5 || a.Short != nil { // and a portion more
		t.Fatalf("reserved is %+v, %+v", a.Reserved, a.Short)
	}
	if a := s.want(2, 3, core.Amount{USD: 12}); a.Reserved.USD != 10 || a.Short == nil || s.run.Status != core.StatusActive {
		t.Fatalf("reserved is %+v, %+v, and the run is %s", a.Reserved, a.Short, s.run.Status)
	}
	s.want(2, 3, core.Amount{USD: 12}) // asked twice, by an engine that does not know of the answer
	if s.run.Status != core.StatusActive {
		t.Fatal("a want that was answered is answered again")
	}
	a := s.want(3, 9.5, core.Amount{USD: 11})
	if a.Reserved.USD != 10 || a.Answered != 3 || a.Status != core.AttemptRunning || s.run.Status != core.StatusActive {
		t.Fatalf("reserved is %+v, the attempt %s, the run %s: %+v", a.Reserved, a.Status, s.run.Status, s.run.Pause)
	}
	if a.Short == nil || !strings.Contains(a.Short.Reason, "the run has cost $9.50 of its $10.00, and $0.50 more is reserved") {
		t.Fatalf("it is short for %+v", a.Short)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Metered: &core.Usage{CostUSD: 9.6}})
	p := s.run.Pause
	if p == nil || p.Code != core.PauseBudget || !strings.Contains(p.Reason, "the run has cost $9.60 of its $10.00") ||
		!slices.Equal(p.Choices, []core.Choice{{Verb: core.VerbRaise, Run: "r", Limit: core.LimitCost}}) {
		t.Fatalf("the run is %s: %+v", s.run.Status, p)
	}
	l.CostUSD, s.now = 20, s.run.Task("a.r1").NotBefore
	s.say(core.Person("me"), core.RunResumed{Limits: &l})
	if s.run.Status != core.StatusActive || s.run.Attempts != 2 {
		t.Errorf("with the limit raised, the run is %s with %d attempts: %+v", s.run.Status, s.run.Attempts, s.run.Pause)
	}
}

// TestAnEndSettles: what was metered counts, and not what the agent claims; the rest is free again.
func TestAnEndSettles(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	for _, kind := range []core.ExitKind{core.ExitFinished, core.ExitFailed, core.ExitLost, core.ExitTimeout, core.ExitCancelled} {
		s := brokered(t, l)
		s.want(1, 1, core.Amount{USD: 6})
		s.add(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: kind, Usage: core.Usage{CostUSD: 0.01}, Metered: &core.Usage{CostUSD: 2, InputTokens: 5}})
		if share := s.run.Share(); share.CostUSD != 2 || share.Tokens != 5 || share.HeldUSD != 0 || share.Unpriced != 0 {
			t.Errorf("%s: the run has used %+v", kind, share)
		}
		if a := s.first(); a.Usage.CostUSD != 0.01 || *a.Cost().CostUSD != 2 {
			t.Errorf("%s: the attempt is on record with %+v and %+v", kind, a.Usage, a.Metered)
		}
	}
}

// TestAFailureForWantOfMoneyIsNotCounted and pauses the run: another attempt would fail in the same way. One that
// finished with less than it wanted is looked at as any other.
func TestAFailureForWantOfMoneyIsNotCounted(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	s := brokered(t, l)
	s.want(1, 1, core.Amount{USD: 11})
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Metered: &core.Usage{CostUSD: 4}})
	if p := s.run.Pause; p == nil || p.Code != core.PauseBudget || !strings.Contains(p.Reason, "the run has cost $4.00 of its $10.00") || s.run.Task("a.r1").Counted != 0 {
		t.Fatalf("the run is %s: %+v with %d counted", s.run.Status, p, s.run.Task("a.r1").Counted)
	}
	s.mayResume(true) // what it held is free again
	s.now = s.run.Task("a.r1").NotBefore
	s.say(core.Person("me"), core.RunResumed{})
	if s.run.Status != core.StatusActive || s.run.Attempts != 2 {
		t.Errorf("resumed, the run is %s with %d attempts", s.run.Status, s.run.Attempts)
	}

	l.CostUSD = 10
	s = brokered(t, l)
	s.want(1, 1, core.Amount{USD: 11})
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFinished, Metered: &core.Usage{CostUSD: 4}, Delivery: &core.Delivery{Commit: "c1", Tree: "c1"}})
	if s.run.Status != core.StatusActive || s.run.Task("a.r1").Status != core.TaskVerifying {
		t.Errorf("the run is %s, its task %s", s.run.Status, s.run.Task("a.r1").Status)
	}
}

// TestAnAgentWithoutABrokerIsStopped where what it claims to have spent cannot be reserved any more: others hold it.
func TestAnAgentWithoutABrokerIsStopped(t *testing.T) {
	l := limitsOf(core.ProjectLimits{Tokens: 1000})
	s := newScript(t, l, phase("a", core.GateAuto))
	s.say(core.Engine(), core.AttemptStarted{Attempt: tryOne})
	claims := func(seq, tokens int64) {
		s.add(core.Engine(), core.UsageObserved{Attempt: tryOne, Usage: core.Usage{OutputTokens: tokens}, Wants: &core.Want{Seq: seq, Amount: core.Amount{Tokens: tokens}}})
	}
	claims(1, 100)
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{Tokens: 100, HeldTokens: 700}, At: s.now})
	if a := s.first(); a.Reserved.Tokens != 150 || s.run.Status != core.StatusActive {
		t.Fatalf("reserved is %+v, and the run is %s", a.Reserved, s.run.Status)
	}
	claims(2, 250)
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{Tokens: 100, HeldTokens: 700}, At: s.now})
	if p, a := s.run.Pause, s.first(); p == nil || p.Code != core.PauseBudget || a.Status != core.AttemptStopping {
		t.Fatalf("the run is %s (%+v), the attempt %s", s.run.Status, p, a.Status)
	}
	if want := "the runs of the project have used 350 of its 1000 tokens, and 700 more are reserved"; !strings.Contains(s.run.Pause.Reason, want) {
		t.Errorf("the pause says %q", s.run.Pause.Reason)
	}
	s.mayResume(true)
}

// TestAStartWaitsForWhatTheRunHolds and pauses the run where others hold all.
func TestAStartWaitsForWhatTheRunHolds(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	team := core.Phase{ID: "a", Writes: core.WritesArtifacts, Gate: core.GateAuto, Attempts: 3, Role: "dev", Team: &core.Team{Spokes: []string{"critic", "dev"}, Hub: "dev"}}
	s := newScript(t, l, team)
	if got := len(s.run.Active()); got != 2 {
		t.Fatalf("%d attempts are under way", got)
	}
	x, y := s.run.Active()[0].ID, s.run.Active()[1].ID
	s.say(core.Engine(), core.AttemptExited{Attempt: y, Kind: core.ExitLost})
	s.say(core.Engine(), core.UsageObserved{Attempt: x, Metered: &core.Usage{}, Wants: &core.Want{Seq: 1, Amount: core.Amount{USD: 10}}})
	s.now = s.now.Add(1 << 40)
	s.say(core.Engine(), core.TimerFired{Timer: "due"})
	if s.run.Status != core.StatusActive || s.run.Attempts != 2 {
		t.Fatalf("with nothing left the run is %s after %d attempts: %+v", s.run.Status, s.run.Attempts, s.run.Pause)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: x, Kind: core.ExitFinished, Metered: &core.Usage{CostUSD: 1}, Delivery: &core.Delivery{Empty: true}})
	if s.run.Attempts != 3 {
		t.Errorf("once it is free again, %d attempts were started", s.run.Attempts)
	}

	l = limitsOf(core.ProjectLimits{CostUSD: 10})
	s = newScript(t, l, phase("a", core.GateAuto))
	s.add(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed})
	s.now = s.now.Add(1 << 40)
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{CostUSD: 2, HeldUSD: 8}, At: s.now})
	if p := s.run.Pause; p == nil || p.Code != core.PauseBudget || !strings.Contains(p.Reason, "have cost $2.00 of its $10.00, and $8.00 more is reserved") {
		t.Fatalf("with all held by others the run is %s: %+v", s.run.Status, p)
	}
	s.mayResume(true)
	s.say(core.Person("me"), core.RunResumed{}) // they may have given it back
	if s.run.Status != core.StatusActive || s.run.Attempts != 2 {
		t.Errorf("resumed, the run is %s with %d attempts", s.run.Status, s.run.Attempts)
	}
}

// TestAPauseForMoneyStopsWhatNoBrokerHolds, and nothing else.
func TestAPauseForMoneyStopsWhatNoBrokerHolds(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	team := core.Phase{ID: "a", Writes: core.WritesArtifacts, Gate: core.GateAuto, Attempts: 3, Role: "dev", Team: &core.Team{Spokes: []string{"critic", "dev"}, Hub: "dev"}}
	s := newScript(t, l, team)
	held, loose := s.run.Active()[0].ID, s.run.Active()[1].ID
	s.say(core.Engine(), core.AttemptStarted{Attempt: held, Brokered: true})
	s.say(core.Engine(), core.AttemptStarted{Attempt: loose})
	for seq := range int64(2) {
		s.say(core.Engine(), core.UsageObserved{Attempt: held, Metered: &core.Usage{}, Wants: &core.Want{Seq: seq + 1, Amount: core.Amount{USD: 100}}})
	}
	if s.run.Pause != nil {
		t.Fatalf("the run pauses for what a broker could not get: %+v", s.run.Pause)
	}
	s.say(core.Engine(), core.UsageObserved{Attempt: loose, Usage: core.Usage{CostUSD: 1}, Wants: &core.Want{Seq: 1, Amount: core.Amount{USD: 1}}})
	_, _, a := s.run.Attempt(held)
	_, _, b := s.run.Attempt(loose)
	if s.run.Pause == nil || a.Status != core.AttemptRunning || b.Status != core.AttemptStopping {
		t.Errorf("the run is %s, the attempt with a broker %s, the other %s", s.run.Status, a.Status, b.Status)
	}
}
