package agent

import (
	"maps"
	"math"
)

// What an agent says that it has consumed is a claim like any other. These bound
// it: no sum overflows, and none is less than nothing.
const (
	maxTokens = int64(1e15)
	maxUSD    = 1e9
)

// Add counts part towards model and towards the totals.
func (u *Usage) Add(model string, part ModelUsage) {
	if u.Model == nil {
		u.Model = make(map[string]ModelUsage)
	}
	m := u.Model[model]
	m.add(part)
	u.Model[model] = m
	u.add(part)
}

func (m *ModelUsage) add(part ModelUsage) {
	m.InputTokens = sum(m.InputTokens, part.InputTokens)
	m.OutputTokens = sum(m.OutputTokens, part.OutputTokens)
	m.CacheReadTokens = sum(m.CacheReadTokens, part.CacheReadTokens)
	m.CacheWriteTokens = sum(m.CacheWriteTokens, part.CacheWriteTokens)
	m.CostUSD = dollars(dollars(m.CostUSD) + dollars(part.CostUSD))
}

// Bounded are the totals of u as far as they can be believed.
func (u *Usage) Bounded() (bounded Usage) {
	bounded.add(u.ModelUsage)
	return bounded
}

func sum(a, b int64) int64 { return tokens(tokens(a) + tokens(b)) }

func tokens(n int64) int64 { return min(max(n, 0), maxTokens) }

// dollars takes what is no number for nothing, and rounds to a billionth: sums of
// floats drift.
func dollars(usd float64) float64 {
	if usd > 0 {
		return math.Round(min(usd, maxUSD)*1e9) / 1e9
	}
	return 0
}

// Clone is a copy that shares nothing with u.
func (u *Usage) Clone() *Usage {
	clone := *u
	clone.Model = maps.Clone(u.Model)
	return &clone
}
