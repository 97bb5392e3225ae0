package agent

import (
	"encoding/json"
	"math"
	"testing"
)

// TestUsageIsBounded: no claim of an agent makes what is counted less, or more
// than can be counted or written down.
func TestUsageIsBounded(t *testing.T) {
	most := ModelUsage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64, CacheReadTokens: math.MaxInt64, CacheWriteTokens: math.MaxInt64, CostUSD: math.MaxFloat64}
	least := ModelUsage{InputTokens: math.MinInt64, OutputTokens: -1, CacheReadTokens: -1, CacheWriteTokens: -1, CostUSD: math.Inf(-1)}
	var u Usage
	for _, part := range []ModelUsage{most, most, least, {CostUSD: math.NaN()}, {CostUSD: math.Inf(1)}} {
		before := u.Bounded()
		u.Add("m", part)
		if now := u.Bounded(); now.InputTokens < before.InputTokens || now.OutputTokens < before.OutputTokens || now.CostUSD < before.CostUSD {
			t.Errorf("%+v made %+v of %+v", part, now, before)
		}
	}
	if u.InputTokens+u.OutputTokens <= 0 || u.InputTokens != maxTokens || u.CostUSD != maxUSD {
		t.Errorf("%+v", u)
	}
	if _, err := json.Marshal(u); err != nil {
		t.Error(err)
	}
	negative := Usage{ModelUsage: ModelUsage{InputTokens: -5, OutputTokens: math.MinInt64, CostUSD: -1000}}
	if got := negative.Bounded(); got.InputTokens != 0 || got.OutputTokens != 0 || got.CostUSD != 0 {
		t.Errorf("%+v", got)
	}
}
