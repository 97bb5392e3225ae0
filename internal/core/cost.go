package core

import (
	"fmt"
	"math"
)

// Cost is what attempts cost, as far as their agents said. An agent that says
// nothing need not have been free: nothing told is unknown, and a sum of which
// some was told is the least that it can be.
type Cost struct {
	CostUSD  *float64 `json:"cost_usd" doc:"Null where agents have worked and none said what it cost"`
	Unpriced int      `json:"unpriced,omitempty" doc:"Attempts that ended without saying what they cost; with any, cost_usd is the least that it can be"`
}

// Money is an amount of dollars for a person; small amounts keep the digits that matter.
func Money(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// CostOf is a sum, beside so many attempts that said nothing.
func CostOf(usd float64, unpriced int) Cost {
	c := Cost{Unpriced: unpriced}
	if usd > 0 || unpriced == 0 {
		c.CostUSD = &usd
	}
	return c
}

// Known is the part that was told.
func (c Cost) Known() float64 {
	if c.CostUSD == nil {
		return 0
	}
	return *c.CostUSD
}

// Plus adds another's.
func (c Cost) Plus(d Cost) Cost { return CostOf(SumUSD(c.Known(), d.Known()), c.Unpriced+d.Unpriced) }

// Cost is what an attempt cost whose agent claims to have used so much. While it is
// at work it may still say so.
func (u Usage) Cost(over bool) Cost {
	if u.CostUSD == 0 && over {
		return CostOf(0, 1)
	}
	return CostOf(u.CostUSD, 0)
}

// Cost is what the attempt cost; nothing if it never started. A broker knows that
// of each attempt.
func (a *Attempt) Cost() Cost {
	if a.Metered != nil {
		return CostOf(a.Metered.CostUSD, 0)
	}
	return a.Usage.Cost(a.Status == AttemptEnded && a.Exit != ExitNoStart)
}

// Disputed reports that a claim differs from what was metered: by a cent, or by a
// token.
func (u Usage) Disputed(claim Usage) bool {
	return math.Abs(u.CostUSD-claim.CostUSD) >= 0.01 || u.Tokens() != claim.Tokens()
}

// Cost is what the run's attempts cost.
func (r *Run) Cost() Cost { return CostOf(r.Usage.CostUSD, r.Unpriced) }
