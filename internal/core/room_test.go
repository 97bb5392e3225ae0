package core

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestRoomIsWhatTheLimitsLeave: comparing what the others have with the room that a run leaves them is the same as judging
// what all of them have.
func TestRoomIsWhatTheLimitsLeave(t *testing.T) {
	spent := rapid.Custom(func(t *rapid.T) Spent {
		n := rapid.Int64Range(0, 20)
		return Spent{
			CostUSD: Dollars(n.Draw(t, "nanos")), Tokens: n.Draw(t, "tokens"), Worked: time.Duration(n.Draw(t, "worked")), Attempts: int(n.Draw(t, "attempts")),
			HeldUSD: Dollars(n.Draw(t, "held")), HeldTokens: n.Draw(t, "held tokens"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 40)
		limits := ProjectLimits{
			CostUSD: Dollars(n.Draw(t, "cost")), Tokens: n.Draw(t, "tokens"), WallTime: time.Duration(n.Draw(t, "time")), Attempts: int(n.Draw(t, "attempts")),
		}
		intent := Intent{Works: rapid.Bool().Draw(t, "works"), Starts: rapid.Bool().Draw(t, "starts"), Reserves: rapid.Bool().Draw(t, "reserves")}
		share, others := spent.Draw(t, "share"), spent.Draw(t, "others")
		total := others.Add(share)
		over := intent.Works && limits.reached(total) != nil ||
			intent.Starts && limits.Attempts > 0 && total.Attempts > limits.Attempts ||
			intent.Reserves && (limits.CostUSD > 0 && Nanos(total.CostUSD)+Nanos(total.HeldUSD) > Nanos(limits.CostUSD) ||
				limits.Tokens > 0 && total.Tokens+total.HeldTokens > limits.Tokens)
		if got := limits.Room(share, intent).fits(others); got == over {
			t.Errorf("%+v of %+v and %+v for %+v: fits is %t", limits, share, others, intent, got)
		}
		if got := limits.Allows(total, intent); got == over {
			t.Errorf("%+v of %+v for %+v: allowed is %t", limits, total, intent, got)
		}
	})
}
