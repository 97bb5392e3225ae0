package core_test

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatNobodySaidIsNotNothing: a cost that no agent told is null, and a sum
// keeps how many of its parts are missing.
func TestWhatNobodySaidIsNotNothing(t *testing.T) {
	told, silent := core.Usage{CostUSD: 0.5}, core.Usage{InputTokens: 9}
	for want, c := range map[string]core.Cost{
		`{"cost_usd":0}`:                 core.CostOf(0, 0),
		`{"cost_usd":0.5}`:               told.Cost(true),
		`{"cost_usd":null,"unpriced":1}`: silent.Cost(true),
		`{"cost_usd":0.5,"unpriced":2}`:  silent.Cost(true).Plus(told.Cost(false)).Plus(silent.Cost(true)).Plus(silent.Cost(false)),
	} {
		if got, err := json.Marshal(c); err != nil || string(got) != want {
			t.Errorf("%s is said as %s (%v)", want, got, err)
		}
	}
	never := core.Attempt{Status: core.AttemptEnded, Exit: core.ExitNoStart}
	if never.Cost().Unpriced != 0 {
		t.Error("an attempt that never started cost something that nobody knows")
	}
}
