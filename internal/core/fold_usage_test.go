package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatIsUsedCountsOnce: what was seen of an attempt while it ran is part of what
// it says at its end, and every attempt adds to the run.
func TestWhatIsUsedCountsOnce(t *testing.T) {
	used := func(usd float64, tokens int64) core.Usage {
		return core.Usage{CostUSD: usd, InputTokens: tokens, Turns: 1}
	}
	for name, c := range map[string]struct {
		seen [][]core.Usage // by attempt, the last of each at its end
		want core.Usage
	}{
		"at its end":          {[][]core.Usage{{used(2, 20)}}, core.Usage{CostUSD: 2, InputTokens: 20, Turns: 1}},
		"while it ran":        {[][]core.Usage{{used(1, 10), used(2, 20)}}, core.Usage{CostUSD: 2, InputTokens: 20, Turns: 1}},
		"several times":       {[][]core.Usage{{used(1, 10), used(1.5, 15), used(2, 20), used(2, 20)}}, core.Usage{CostUSD: 2, InputTokens: 20, Turns: 1}},
		"by several attempts": {[][]core.Usage{{used(1, 10), used(2, 20)}, {used(4, 40), used(8, 80)}}, core.Usage{CostUSD: 10, InputTokens: 100, Turns: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, core.DefaultLimits(), phase("a", core.GateAuto))
			for n, seen := range c.seen {
				attempt := core.AttemptID("a.r1", n+1)
				s.say(core.Engine(), core.AttemptStarted{Attempt: attempt})
				last := len(seen) - 1
				for _, u := range seen[:last] {
					s.say(core.Engine(), core.UsageObserved{Attempt: attempt, Usage: u})
				}
				s.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFailed, Usage: seen[last], Delivery: &core.Delivery{Commit: "c1", Tree: "c1"}})
				s.say(core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: attempt})
			}
			if s.run.Usage != c.want {
				t.Errorf("the run has used %+v, want %+v", s.run.Usage, c.want)
			}
		})
	}
}
