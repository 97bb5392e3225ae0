package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// after lets time pass, and a timer bring it.
func (s *script) after(d time.Duration) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.say(core.Engine(), core.TimerFired{Timer: "due"})
}

func (s *script) worked(want time.Duration) {
	s.t.Helper()
	if got := s.run.Share().Worked; got != want {
		s.t.Fatalf("the run is %s and has worked %s, want %s", s.run.Status, got, want)
	}
}

// TestWhatARunHasWorked leaves out the time at a gate, in a pause and after the
// end, and keeps what was granted again.
func TestWhatARunHasWorked(t *testing.T) {
	limits := core.DefaultLimits()
	limits.WallTime = 10 * time.Hour
	s := newScript(t, limits, phase("a", core.GateApproval), phase("b", core.GateAuto))
	s.after(time.Hour)
	s.deliver("a", "a.r1.a1", "c1")
	s.after(72 * time.Hour)
	s.worked(time.Hour)
	s.say(core.Person("me"), core.ApprovalGranted{Subject: s.run.Current().Gate.Subject})
	s.after(9 * time.Hour)
	if s.run.Pause == nil || s.run.Pause.Code != core.PauseWall {
		t.Fatalf("after ten hours: %+v", s.run.Pause)
	}
	s.say(core.Engine(), core.AttemptExited{Attempt: "b.r1.a1", Kind: core.ExitCancelled})
	s.after(5 * time.Hour)
	s.worked(10 * time.Hour)
	s.say(core.Person("me"), core.RunResumed{})
	s.after(2 * time.Hour)
	s.worked(12 * time.Hour)
	if got := s.run.ShareAt(s.now.Add(time.Hour)); got.Worked != 13*time.Hour || got.Working != 1 {
		t.Fatalf("in an hour: %+v", got)
	}
	s.say(core.Person("me"), core.RunCancelled{})
	s.after(time.Hour)
	s.worked(12 * time.Hour)
	if got := s.run.ShareAt(s.now.Add(time.Hour)); got.Worked != 12*time.Hour || got.Working != 0 {
		t.Fatalf("an hour after its end: %+v", got)
	}
}

// TestTheTimeOfAProjectRunsOut has a run look when it could be up as far as it
// was told, and stop on what it knows.
func TestTheTimeOfAProjectRunsOut(t *testing.T) {
	s := newScript(t, limitsOf(core.ProjectLimits{WallTime: 4 * time.Hour}), phase("a", core.GateAuto))
	began := s.now
	looksAt := func(d time.Duration) {
		t.Helper()
		if due := core.Timers(s.run); !slices.Contains(due, began.Add(d)) || !s.run.ProjectTimeUp().Equal(began.Add(d)) {
			t.Fatalf("looks at %v, want %s after its start", due, d)
		}
	}
	looksAt(4 * time.Hour)
	s.after(time.Hour) // of three others two work, and three hours are left for three runs
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{Working: 2}, At: s.now})
	looksAt(2 * time.Hour)
	s.after(time.Hour) // the others have stopped at once: nobody knows, and the run goes on
	if s.run.Status != core.StatusActive {
		t.Fatalf("with two hours left the run is %s: %+v", s.run.Status, s.run.Pause)
	}
	s.say(core.Engine(), core.ProjectSpent{Others: core.Spent{Worked: time.Minute}, At: s.now})
	looksAt(4*time.Hour - time.Minute)
	s.after(2*time.Hour - time.Minute)
	p := s.run.Pause
	if p == nil || p.Code != core.PauseBudget || !p.Stop || !strings.Contains(p.Reason, "have worked 4h0m0s of its 4h0m0s") {
		t.Fatalf("the run is %s: %+v", s.run.Status, p)
	}
	if !slices.Equal(p.Choices, []core.Choice{{Verb: core.VerbRaise, Run: "r", Limit: core.LimitProjectTime}}) || !s.run.ProjectTimeUp().IsZero() {
		t.Errorf("it is told %+v, and it looks at %s", p.Choices, s.run.ProjectTimeUp())
	}
	same := limitsOf(core.ProjectLimits{WallTime: 4 * time.Hour})
	if err := core.Law(s.run, core.Person("me"), core.RunResumed{Limits: &same}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("it may be resumed with as much: %v", err)
	}
}

func TestWhenARunMustHear(t *testing.T) {
	const limit = 4 * time.Hour
	for name, test := range map[string]struct {
		told, others core.Spent // when the run began, and an hour later
		want         bool
	}{
		"alone":                {core.Spent{}, core.Spent{}, false},
		"as it was told":       {core.Spent{Working: 1}, core.Spent{Worked: time.Hour, Working: 1}, false},
		"one more works":       {core.Spent{Working: 1}, core.Spent{Worked: time.Hour, Working: 2}, true},
		"more than it knew":    {core.Spent{}, core.Spent{Worked: time.Second}, true},
		"one has stopped":      {core.Spent{Working: 1}, core.Spent{Worked: time.Minute}, false},
		"up, and was early":    {core.Spent{Working: 3}, core.Spent{Worked: time.Hour, Working: 1}, true},
		"up":                   {core.Spent{Working: 3}, core.Spent{Worked: 3 * time.Hour, Working: 3}, true},
		"money is no business": {core.Spent{}, core.Spent{CostUSD: 100, Tokens: 100, Attempts: 100}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, limitsOf(core.ProjectLimits{WallTime: limit}), phase("a", core.GateAuto))
			s.say(core.Engine(), core.ProjectSpent{Others: test.told, At: s.now})
			at := s.now.Add(time.Hour)
			if got := s.run.MustHear(test.others, at); got != test.want {
				t.Fatalf("it must hear: %v", got)
			}
			s.now = at.Add(time.Minute) // that it takes to tell
			s.say(core.Engine(), core.ProjectSpent{Others: test.others, At: at})
			test.others.Worked += time.Duration(test.others.Working) * time.Minute
			if s.run.Status == core.StatusActive && s.run.MustHear(test.others, s.now) {
				t.Error("once told, it must hear the same again")
			}
		})
	}
}
