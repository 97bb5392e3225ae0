package wording_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestStatus(t *testing.T) {
	for status, want := range map[string]string{
		string(core.StatusActive): "running", string(core.StatusAwaiting): "waiting for you", string(core.StatusReview): "in review",
		string(core.StatusCompleted): "completed", string(api.ProjectWaiting): "waiting for you", string(api.PieceStuck): "stuck, waiting for you",
		string(core.StageGated): "waiting for you", string(core.StageStale): "to be redone", string(core.StagePending): "to come",
		string(core.StageOpen): "under way", string(core.StageDone): "passed", "some_thing": "some thing",
	} {
		if got := wording.Status(status); got != want {
			t.Errorf("%s: %q, not %q", status, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	for kind, want := range map[string]string{
		api.LimitCost: "cost: $1.50", api.LimitTokens: "tokens: 1", api.LimitWallTime: "working time: 1s", api.LimitAttempts: "attempts: 1",
		api.LimitParallel: "attempts at once: 1", api.LimitAttemptCost: "cost per attempt: $1.50", api.LimitAttemptTokens: "tokens per attempt: 1",
	} {
		name, say := wording.Limit(kind)
		if got := name + ": " + say(1.5); got != want {
			t.Errorf("%s: %q, not %q", kind, got, want)
		}
	}
}
