package relay

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

func gated(event string) api.Turn {
	t := turn(api.TurnGate)
	t.Gate = &core.Gate{Event: event, Subject: core.Subject{Stage: "backend"}}
	return t
}

func pausedBy(code core.PauseCode) api.Turn {
	t := turn(api.TurnPaused)
	t.Pause = &core.Pause{Code: code, Reason: "because", At: noon}
	return t
}

// TestTheSessionsTerminalIsRungOnceForEachThing: a session may rest at a gate many
// times, when the person asks what waits there.
func TestTheSessionsTerminalIsRungOnceForEachThing(t *testing.T) {
	d := newDesk(t)
	wanted := true
	d.Rings = func() (bool, error) { return wanted, nil }
	rang := func(turn api.Turn) string {
		t.Helper()
		d.svc.Sessions.Turns(turn)
		return d.answer(hook.EventStop, nil).Sequence
	}
	ended := turn(api.TurnOver)
	ended.Run.Status = core.StatusCompleted
	later := pausedBy(core.PauseAttempts)
	later.Pause.At = noon.Add(time.Hour)
	for i, c := range []struct {
		turn api.Turn
		want string
	}{
		{turn(api.TurnVerify), ""},
		{gated("e1"), "\a"},
		{gated("e1"), ""},
		{gated("e2"), "\a"},
		{pausedBy(core.PausePerson), ""},
		{pausedBy(core.PauseAttempts), "\a"},
		{pausedBy(core.PauseAttempts), ""},
		{later, "\a"},
		{ended, "\a\a"},
	} {
		if got := rang(c.turn); got != c.want {
			t.Errorf("%d, %s: rang is %q", i, c.turn.Kind, got)
		}
	}
	wanted = false
	if rang(gated("e3")) != "" {
		t.Error("it rang for a person who wants no bell")
	}
}

// TestASessionThatIsLetGoRings: the person may have looked away when their session
// was told for the last time, and a run that nobody carries on stands still.
func TestASessionThatIsLetGoRings(t *testing.T) {
	d := newDesk(t)
	d.Rings = func() (bool, error) { return true, nil }
	offered := turn(api.TurnStart)
	offered.Offers = []api.Offer{{Attempt: "plan.r1.a1", Type: "stellwerk:planner"}}
	for told := 1; told <= maxBlocks+2; told++ {
		d.svc.Sessions.Turns(offered)
		want := ""
		if told == maxBlocks+1 {
			want = "\a"
		}
		if got := d.answer(hook.EventStop, nil).Sequence; got != want {
			t.Errorf("told for the %d. time, rang is %q, not %q", told, got, want)
		}
	}
}
