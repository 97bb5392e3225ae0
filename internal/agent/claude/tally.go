package claude

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// tally adds up tokens. While the run lasts it counts messages, whose output is
// known only in part when they begin; a result line then brings the true totals
// of all models, subagents included. Those are cumulative, so they replace what
// was counted and are never added up.
type tally struct {
	seen  map[string]bool
	usage agent.Usage
}

// message counts an assistant message once, however many lines it takes, and
// reports whether it was new.
func (t *tally) message(message object) bool {
	id, used := get[string](message, "id"), get[object](message, "usage")
	model := get[string](message, "model")
	if id == "" || t.seen[id] || used == nil || model == "<synthetic>" {
		return false
	}
	t.seen[id] = true
	t.usage.Add(model, agent.ModelUsage{
		InputTokens:      count(used, "input_tokens"),
		OutputTokens:     count(used, "output_tokens"),
		CacheReadTokens:  count(used, "cache_read_input_tokens"),
		CacheWriteTokens: count(used, "cache_creation_input_tokens"),
	})
	return true
}

// models takes the totals of a result line; one that has none, as after an
// error of the service, says nothing.
func (t *tally) models(models object, cost float64) {
	if len(models) == 0 {
		return
	}
	t.usage = agent.Usage{}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := get[object](models, name)
		t.usage.Add(name, agent.ModelUsage{
			InputTokens:      count(m, "inputTokens"),
			OutputTokens:     count(m, "outputTokens"),
			CacheReadTokens:  count(m, "cacheReadInputTokens"),
			CacheWriteTokens: count(m, "cacheCreationInputTokens"),
			CostUSD:          amount(m, "costUSD"),
		})
	}
	t.usage.CostUSD = max(t.usage.CostUSD, cost)
}
