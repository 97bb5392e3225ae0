package wording

import (
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Status says how a run, a project, a stage, a task or a piece of work stands.
func Status[S ~string](status S) string {
	switch string(status) {
	case string(core.StatusActive):
		return "running"
	case string(core.StatusAwaiting), string(core.StageGated), "waits": // the last is a project's
		return "waiting for you"
	case string(core.StatusReview):
		return "in review"
	case string(core.StagePending):
		return "to come"
	case string(core.StageOpen):
		return "under way"
	case string(core.StageStale):
		return "to be redone"
	case string(core.AttemptEnded):
		return "over"
	case "stranded": // a project's
		return "no engine"
	case "stuck":
		return "stuck, waiting for you"
	}
	return strings.ReplaceAll(string(status), "_", " ")
}

// Limit is what a limit of the API is called, by its kind, and how an amount of it
// is said.
func Limit(kind string) (name string, say func(float64) string) {
	number := func(v float64) string { return Amount(int64(v)) }
	switch kind {
	case "cost_usd":
		return "cost", Money
	case "attempt_cost_usd":
		return "cost per attempt", Money
	case "attempt_tokens":
		return "tokens per attempt", number
	case "wall_time":
		return "working time", func(v float64) string { return Duration(time.Duration(v * float64(time.Second))) }
	case "parallel":
		return "attempts at once", number
	}
	return strings.ReplaceAll(kind, "_", " "), number
}
