package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestSpokesShareALimit has attempts side by side that each stay below the limit and are over it together.
func TestSpokesShareALimit(t *testing.T) {
	for _, set := range []core.Limits{
		{CostUSD: 10}, {Tokens: 10_000},
		{Project: core.ProjectLimits{CostUSD: 10}}, {Tokens: 50_000, Project: core.ProjectLimits{Tokens: 10_000}},
	} {
		limits := meterSteps(set)
		const spokes, steps = 4, 90
		var reported, used [spokes]core.Usage
		var total core.Usage
		over := func() bool {
			return limits.CostUSD > 0 && total.CostUSD >= limits.CostUSD || limits.Tokens > 0 && total.Tokens() >= limits.Tokens
		}
		for step := 0; step < steps && !over(); step++ {
			for i := range spokes { // each comes to nine tenths of the limit alone
				used[i] = used[i].Add(core.Usage{CostUSD: 0.1, OutputTokens: 100})
				if noteworthy(limits, reported[i], used[i]) {
					reported[i] = used[i]
				}
			}
			total = core.Usage{}
			for _, r := range reported {
				total = total.Add(r)
			}
		}
		var spent core.Usage
		for _, u := range used {
			spent = spent.Add(u)
		}
		if !over() || spent.CostUSD > 12.5 {
			t.Errorf("%+v: stopped at %v of which %v was reported", limits, spent, total)
		}
	}
}
