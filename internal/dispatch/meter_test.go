package dispatch

import (
	"math"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
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

// TestUsageIsNotTakenBack: an agent that says less later, or less than nothing,
// has still used what it used.
func TestUsageIsNotTakenBack(t *testing.T) {
	entry := func(u agent.ModelUsage) shim.Entry {
		return shim.Entry{Record: agent.Record{Kind: agent.KindUsage, Usage: &agent.Usage{ModelUsage: u}}}
	}
	reported := core.Usage{CostUSD: 3, InputTokens: 100, OutputTokens: 50}
	for _, claim := range []agent.ModelUsage{{}, {CostUSD: -1000, InputTokens: -1 << 62}, {CostUSD: 1, InputTokens: 7}} {
		if got := newest([]shim.Entry{entry(claim)}, reported); *got != reported {
			t.Errorf("%+v made %+v of %+v", claim, *got, reported)
		}
	}
	if got := newest([]shim.Entry{entry(agent.ModelUsage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64})}, reported); got.Tokens() <= 0 {
		t.Errorf("%d tokens", got.Tokens())
	}
}
