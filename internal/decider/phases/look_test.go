package phases_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// green is a phase that is done where a command succeeds.
func green(id string) core.Phase {
	return core.Phase{ID: id, Gate: core.GateAuto, VerifyFirst: true, Done: core.Check{Kind: core.CheckCommand, Run: "make"}}
}

// TestAGreenPhaseStartsNobody, and one that is red starts an agent as any other.
func TestAGreenPhaseStartsNobody(t *testing.T) {
	for _, holds := range []bool{true, false} {
		c := start(t, green("build"), core.Phase{ID: "review", Outputs: []string{"r.md"}, Gate: core.GateApproval})
		c.holds = holds
		c.work()
		c.want("build", core.StageDone, 1)
		if got, want := c.run.Attempts, map[bool]int{true: 1, false: 2}[holds]; got != want {
			t.Errorf("holds %v: %d attempts, want %d", holds, got, want)
		}
		if found := c.run.Stage("build").Tasks[0].Found; (found != "") != holds {
			t.Errorf("holds %v: found %q", holds, found)
		}
	}
}

// TestWhoIsAskedWorks: a round that somebody asked for is done although the
// checks hold; one that is only redone is looked at again.
func TestWhoIsAskedWorks(t *testing.T) {
	c := start(t, green("build"), green("page"), core.Phase{ID: "review", Outputs: []string{"r.md"}, Gate: core.GateApproval})
	c.holds = true
	c.work()
	if c.run.Attempts != 1 {
		t.Fatalf("%d attempts", c.run.Attempts)
	}
	c.rollBack("build")
	c.want("build", core.StageDone, 2)
	c.want("page", core.StageDone, 2)
	if c.run.Attempts != 3 || c.run.Stage("build").Tasks[0].Found != "" || c.run.Stage("page").Tasks[0].Found == "" {
		t.Errorf("%d attempts; build %+v, page %+v", c.run.Attempts, c.run.Stage("build").Tasks[0], c.run.Stage("page").Tasks[0])
	}
}

// TestALookThatFailsSaysWhy: it is repeated, and when that is given up, the pause
// has the reason.
func TestALookThatFailsSaysWhy(t *testing.T) {
	c := start(t, green("build"))
	for c.run.Pause == nil {
		if effects := core.Effects(c.run); len(effects) > 0 {
			look := effects[0].(core.Validate)
			c.say(core.Engine(), core.ValidateConcluded{Task: look.Task, Commit: c.run.Head, First: true, Error: "no space left on device"})
			continue
		}
		c.now = core.Timers(c.run)[0]
		c.say(core.Engine(), core.TimerFired{Timer: "due"})
	}
	if p := c.run.Pause; p.Code != core.PauseInfra || !strings.HasSuffix(p.Reason, ": no space left on device") {
		t.Errorf("paused with %+v", p)
	}
	c.say(core.Person("me"), core.AttemptsReset{Stage: "build"})
	c.holds = true
	c.work()
	c.want("build", core.StageDone, 1)
	if left := c.run.Stage("build").Tasks[0].Trouble; left != "" {
		t.Errorf("after a look that worked there is %q", left)
	}
}
