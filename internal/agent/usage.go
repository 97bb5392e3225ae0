package agent

import "maps"

// Add counts part towards model and towards the totals.
func (u *Usage) Add(model string, part ModelUsage) {
	m := u.Model[model]
	m.InputTokens += part.InputTokens
	m.OutputTokens += part.OutputTokens
	m.CacheReadTokens += part.CacheReadTokens
	m.CacheWriteTokens += part.CacheWriteTokens
	m.CostUSD += part.CostUSD
	if u.Model == nil {
		u.Model = make(map[string]ModelUsage)
	}
	u.Model[model] = m

	u.InputTokens += part.InputTokens
	u.OutputTokens += part.OutputTokens
	u.CacheReadTokens += part.CacheReadTokens
	u.CacheWriteTokens += part.CacheWriteTokens
	u.CostUSD += part.CostUSD
}

// Clone is a copy that shares nothing with u.
func (u *Usage) Clone() *Usage {
	clone := *u
	clone.Model = maps.Clone(u.Model)
	return &clone
}
