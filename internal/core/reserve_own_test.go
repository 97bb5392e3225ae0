package core_test

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func ownDollar(run float64) core.Limits {
	l := core.DefaultLimits()
	l.CostUSD, l.Attempt = run, core.AttemptLimits{CostUSD: 1, Tokens: 1000}
	return l
}

// TestAnAttemptHasALimitOfItsOwn: it gets no more than that, fails with the amount, is
// counted, and the run goes on with another that has as much.
func TestAnAttemptHasALimitOfItsOwn(t *testing.T) {
	for _, run := range []float64{0, 10} {
		s := brokered(t, ownDollar(run))
		if a := s.first(); a.Reserved.USD != 0.05 || a.Reserved.Tokens != 50 {
			t.Fatalf("it begins with %+v", a.Reserved)
		}
		if a := s.want(1, 0.02, core.Amount{USD: 0.5}); a.Short != nil || a.Reserved.USD != 0.55 {
			t.Fatalf("within its limit it gets %+v, %+v", a.Reserved, a.Short)
		}
		a := s.want(2, 0.9, core.Amount{USD: 3})
		if a.Reserved.USD != 1 || a.Short == nil || !a.Short.Own || a.Short.Held || !slices.Equal(a.Short.Choices, []core.Choice{{Verb: core.VerbRaise, Run: "r", Limit: core.LimitAttemptCost}}) {
			t.Fatalf("beyond its limit it gets %+v, %+v", a.Reserved, a.Short)
		}
		s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Class: "budget", Message: "402", Metered: &core.Usage{CostUSD: 0.97}})
		a = s.first()
		if want := "the attempt has cost $0.97 of its $1.00; too little is left for the next request"; a.Exceeded != want || a.Message != want+": 402" || !a.Counted {
			t.Errorf("it ended as %+v", a)
		}
		if s.run.Status != core.StatusActive || s.run.Unfunded != "" || s.run.Attempts != 2 {
			t.Errorf("the run is %s: %+v with %d attempts", s.run.Status, s.run.Pause, s.run.Attempts)
		}
		if _, _, next := s.run.Attempt(core.AttemptID("a.r1", 2)); next == nil || next.Reserved == nil || next.Reserved.USD != 0.05 {
			t.Errorf("the next one begins as %+v", next)
		}
	}
}

// TestOtherEndsAreNotBlamedOnTheLimit: those with another cause, and those for want of the run's money.
func TestOtherEndsAreNotBlamedOnTheLimit(t *testing.T) {
	s := brokered(t, ownDollar(0))
	s.want(1, 0.5, core.Amount{USD: 3})
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Message: "a mistake", Metered: &core.Usage{CostUSD: 0.5}})
	if a := s.first(); a.Exceeded != "" || a.Message != "a mistake" || !a.Counted {
		t.Errorf("a mistake is told as %+v", a)
	}
	s = brokered(t, ownDollar(0.5))
	a := s.want(1, 0.4, core.Amount{USD: 3})
	if a.Short == nil || a.Short.Own {
		t.Fatalf("short of the run's money, it is short for %+v", a.Short)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Class: "budget", Metered: &core.Usage{CostUSD: 0.45}})
	if a := s.first(); a.Exceeded != "" || a.Counted || s.run.Pause == nil || s.run.Pause.Code != core.PauseBudget {
		t.Errorf("for want of the run's money it ended as %+v, and the run is %s", a, s.run.Status)
	}
}

// TestAProgramThatKeepsToTheLimitItself: it was told its budget, and asked for nothing.
func TestAProgramThatKeepsToTheLimitItself(t *testing.T) {
	s := brokered(t, ownDollar(10))
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Class: "budget", Metered: &core.Usage{CostUSD: 0.2, InputTokens: 990}})
	if a := s.first(); a.Exceeded != "the attempt has used 990 of its 1000 tokens; too little is left for the next request" || !a.Counted {
		t.Errorf("it ended as %+v", a)
	}
}

// TestAnAgentWithoutABrokerIsStoppedAtItsLimit, and only that one: the run does not pause.
func TestAnAgentWithoutABrokerIsStoppedAtItsLimit(t *testing.T) {
	s := newScript(t, ownDollar(0), phase("a", core.GateAuto))
	s.say(core.Engine(), core.AttemptStarted{Attempt: tryOne})
	observe := func(usd float64, seq int64) {
		s.say(core.Engine(), core.UsageObserved{Attempt: tryOne, Usage: core.Usage{CostUSD: usd}, Wants: &core.Want{Seq: seq, Amount: core.Amount{USD: usd}}})
	}
	if observe(0.9, 1); s.first().Status != core.AttemptRunning {
		t.Fatalf("within its limit it is %s", s.first().Status)
	}
	observe(1.2, 2)
	if a := s.first(); a.Status != core.AttemptStopping || a.StopReason != "the attempt has cost $1.20 of its $1.00" || s.run.Status != core.StatusActive {
		t.Fatalf("beyond its limit it is %s for %q, and the run is %s", a.Status, a.StopReason, s.run.Status)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitCancelled, Usage: core.Usage{CostUSD: 1.3}})
	if a := s.first(); a.Exceeded != "the attempt has cost $1.30 of its $1.00" || !a.Counted || s.run.Status != core.StatusActive || s.run.Attempts != 2 {
		t.Errorf("it ended as %+v, and the run is %s with %d attempts", a, s.run.Status, s.run.Attempts)
	}
}

// TestARetryRaisesTheLimitOfEachAttempt.
func TestARetryRaisesTheLimitOfEachAttempt(t *testing.T) {
	s := brokered(t, ownDollar(0))
	s.say(core.Engine(), core.AttemptExited{Attempt: tryOne, Kind: core.ExitFailed, Class: "budget", Metered: &core.Usage{CostUSD: 1}})
	s.add(core.Person("me"), core.RunPaused{Code: core.PausePerson})
	s.add(core.Engine(), core.AttemptExited{Attempt: core.AttemptID("a.r1", 2), Kind: core.ExitFailed})
	s.say(core.Person("me"), core.AttemptsReset{Stage: "a", Limits: &core.AttemptLimits{CostUSD: 4}})
	if s.run.Limits.Attempt != (core.AttemptLimits{CostUSD: 4}) {
		t.Errorf("the limits are %+v", s.run.Limits.Attempt)
	}
}

// TestWhatIsGivenBackIsNotHeld, and what was spent cannot be given back.
func TestWhatIsGivenBackIsNotHeld(t *testing.T) {
	l := core.DefaultLimits()
	l.CostUSD = 10
	s := brokered(t, l)
	s.want(1, 1, core.Amount{USD: 9.9})
	if held := s.run.Share().HeldUSD; held != 8.95 {
		t.Fatalf("held is $%v", held)
	}
	give := func(seq int64, total, keeps float64) *core.Attempt {
		s.say(core.Engine(), core.UsageObserved{
			Attempt: tryOne, Metered: &core.Usage{CostUSD: 1},
			Wants: &core.Want{Seq: seq, Amount: core.Amount{USD: total}, Keeps: &core.Amount{USD: keeps}},
		})
		return s.first()
	}
	if a := give(2, 2, 2); a.Reserved.USD != 2 || a.Answered != 2 || s.run.Share().HeldUSD != 1 {
		t.Errorf("after it gave back, it has %+v and holds $%v", a.Reserved, s.run.Share().HeldUSD)
	}
	if a := give(3, 5, 1.5); a.Reserved.USD != 5.5 || a.Short != nil { // the engine never heard of the return alone
		t.Errorf("with a want after it gave back, it has %+v", a.Reserved)
	}
	if a := give(4, 0, 0.5); a.Reserved.USD != 1 { // what is spent cannot be given back
		t.Errorf("after all was given back, it has %+v", a.Reserved)
	}
}
