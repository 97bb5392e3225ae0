package wording_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// TestWhatAnAttemptMaySpend, what it did spend, and what its agent says of that.
func TestWhatAnAttemptMaySpend(t *testing.T) {
	short := &core.Shortage{Reason: "the run has cost $9.00 of its $10.00"}
	for want, body := range map[string]core.Body{
		"allowance reserved: a1 may spend $1.50 and 20 tokens":                                                 core.AllowanceReserved{Attempt: "a1", Amount: core.Amount{USD: 1.5, Tokens: 20}},
		"allowance reserved: a1 may spend 20 tokens, less than it wants: the run has cost $9.00 of its $10.00": core.AllowanceReserved{Attempt: "a1", Amount: core.Amount{Tokens: 20}, Short: short},
		"allowance refused: a1 may spend nothing and no more: the run has cost $9.00 of its $10.00":            core.AllowanceReserved{Attempt: "a1", Short: short, Refused: true},
		"allowance given back: a1 may spend $0.50":                                                             core.AllowanceReserved{Attempt: "a1", Amount: core.Amount{USD: 0.5}, Returned: true},
		"attempts granted: build: $2.50 and 9 tokens for each attempt":                                         core.AttemptsReset{Stage: "build", Limits: &core.AttemptLimits{CostUSD: 2.5, Tokens: 9}},
		"attempts granted: build": core.AttemptsReset{Stage: "build"},
		"spent so far: a1, $2.00": core.UsageObserved{Attempt: "a1", Usage: core.Usage{CostUSD: 1}, Metered: &core.Usage{CostUSD: 2}},
		"attempt finished: a1, $2.00, metered $2.00 and 9 tokens, claimed $0.10 and 9 tokens": core.AttemptExited{Attempt: "a1", Kind: core.ExitFinished, Usage: core.Usage{CostUSD: 0.1, InputTokens: 9}, Metered: &core.Usage{CostUSD: 2, OutputTokens: 9}},
		"attempt finished: a1, $2.00": core.AttemptExited{Attempt: "a1", Kind: core.ExitFinished, Usage: core.Usage{CostUSD: 2.001}, Metered: &core.Usage{CostUSD: 2}},
	} {
		e, _, err := core.Seal("run/r", core.Head{}, core.Event{}.At, core.Engine(), "", body)
		if err != nil {
			t.Fatal(err)
		}
		if what, detail := wording.Event(e); what+": "+detail != want {
			t.Errorf("%q, want %q", what+": "+detail, want)
		}
	}
}
