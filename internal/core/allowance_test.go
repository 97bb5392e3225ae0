package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func limitsOf(p core.ProjectLimits) core.Limits {
	l := core.DefaultLimits()
	l.Project = p
	return l
}

// TestAProjectsLimitPausesARun tells a run with an attempt under way what the
// others have spent.
func TestAProjectsLimitPausesARun(t *testing.T) {
	for name, test := range map[string]struct {
		limits core.ProjectLimits
		others core.Spent
		code   core.PauseCode // none where the run goes on
		raise  core.Limit
	}{
		"below":              {core.ProjectLimits{CostUSD: 10, Tokens: 100}, core.Spent{CostUSD: 6.9, Tokens: 69}, "", ""},
		"money":              {core.ProjectLimits{CostUSD: 10}, core.Spent{CostUSD: 7}, core.PauseBudget, core.LimitProjectCost},
		"tokens of a plan":   {core.ProjectLimits{CostUSD: 10, Tokens: 100}, core.Spent{Tokens: 70}, core.PauseBudget, core.LimitProjectTokens},
		"time":               {core.ProjectLimits{WallTime: time.Hour}, core.Spent{Worked: time.Hour}, core.PauseBudget, core.LimitProjectTime},
		"time left":          {core.ProjectLimits{WallTime: time.Hour}, core.Spent{Worked: time.Hour - 1, Working: 7}, "", ""},
		"no limit":           {core.ProjectLimits{}, core.Spent{CostUSD: 1e6, Tokens: 1e9, Worked: 1e6 * time.Hour, Attempts: 1e6}, "", ""},
		"attempts under way": {core.ProjectLimits{Attempts: 3}, core.Spent{Attempts: 9}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, limitsOf(test.limits), phase("a", core.GateAuto))
			s.say(core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
			s.say(core.Engine(), core.UsageObserved{Attempt: "a.r1.a1", Usage: core.Usage{CostUSD: 3, InputTokens: 10, OutputTokens: 20}})
			s.say(core.Engine(), core.ProjectSpent{Others: test.others, At: s.now})
			_, _, attempt := s.run.Attempt("a.r1.a1")
			if test.code == "" {
				if s.run.Status != core.StatusActive || attempt.Status != core.AttemptRunning {
					t.Fatalf("the run is %s (%+v), its attempt %s", s.run.Status, s.run.Pause, attempt.Status)
				}
				return
			}
			if s.run.Pause == nil || s.run.Pause.Code != test.code || !slices.Equal(s.run.Pause.Choices, []core.Choice{{Verb: core.VerbRaise, Run: "r", Limit: test.raise}}) {
				t.Fatalf("the run is %s: %+v", s.run.Status, s.run.Pause)
			}
			if attempt.Status != core.AttemptStopping {
				t.Errorf("the attempt is %s", attempt.Status)
			}
			if err := core.Law(s.run, core.Person("me"), core.RunResumed{}); core.CodeOf(err) != core.CodeConflict {
				t.Errorf("it may be resumed as it is: %v", err)
			}
			higher := limitsOf(core.ProjectLimits{CostUSD: 100, Tokens: 1000})
			s.say(core.Person("me"), core.RunResumed{Limits: &higher})
			if s.run.Status != core.StatusActive {
				t.Errorf("with the limit raised the run is %s: %+v", s.run.Status, s.run.Pause)
			}
		})
	}
}

// TestTheLastAttemptOfAProject lets the attempt that came last end, and no other
// begin.
func TestTheLastAttemptOfAProject(t *testing.T) {
	l := limitsOf(core.ProjectLimits{Attempts: 4})
	s := newScript(t, l, phase("a", core.GateAuto), phase("b", core.GateAuto))
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{Attempts: 3}})
	s.deliver("a", "a.r1.a1", "c1")
	if s.run.Stage("a").Status != core.StageDone || s.run.Attempts != 1 {
		t.Fatalf("stage a is %s after %d attempts", s.run.Stage("a").Status, s.run.Attempts)
	}
	if p := s.run.Pause; p == nil || p.Code != core.PauseProjectLimit || p.Stop || !strings.Contains(p.Reason, "4 of its 4 attempts") {
		t.Fatalf("the run is %s: %+v", s.run.Status, p)
	}
	l.Project.Attempts = 5
	s.say(core.Person("me"), core.RunResumed{Limits: &l})
	s.deliver("b", "b.r1.a1", "c2")
	if s.run.Status != core.StatusCompleted {
		t.Errorf("with one more, the run is %s: %+v", s.run.Status, s.run.Pause)
	}
}

// TestAnAttemptHoldsASlotOfItsProject beside one of the engine.
func TestAnAttemptHoldsASlotOfItsProject(t *testing.T) {
	s := newScript(t, limitsOf(core.ProjectLimits{Parallel: 2}), phase("a", core.GateAuto))
	pools := map[string]int{}
	for _, slots := range core.HeldSlots(s.run, "here") {
		for _, p := range slots.Pools {
			pools[p.Key] = p.Limit
		}
	}
	if len(pools) != 2 || pools[core.AttemptSlots("here")] != core.DefaultLimits().Parallel || pools[core.ProjectSlots("p")] != 2 {
		t.Errorf("the attempt holds %v", pools)
	}
}
