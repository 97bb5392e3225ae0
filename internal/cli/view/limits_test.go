package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

func of(kind string, used, limit float64) api.Allowance {
	left := max(limit-used, 0)
	return api.Allowance{Kind: kind, Used: &used, Limit: &limit, Left: &left}
}

func TestLimits(t *testing.T) {
	lines := plain().Settings([]view.Setting{
		{Key: "limits.attempts", Value: "3", From: "default"},
		{Key: "limits.project.cost_usd", Value: "$100.00", From: "user (/home/ada/.config/stellwerk/config.yaml:12)"},
		{Key: "read_only", Value: "/opt/toolchain/with/a/long/path", From: "environment (STELLWERK_READ_ONLY)"},
	})
	lines = append(append(lines, ""), plain().Accounts([]api.Account{
		{Scope: api.ScopeEngine, Allowances: []api.Allowance{of(api.LimitParallel, 2, 4)}},
		{Scope: api.ScopeProject, Name: "shop", ID: "0123456789abcdef", Allowances: []api.Allowance{
			of(api.LimitCost, 104.5, 100), {Kind: api.LimitTokens, Used: new(float64(12_345_678))}, of(api.LimitWallTime, 90_000, 100_000), of(api.LimitAttempts, 7, 50), {Kind: api.LimitParallel, Used: new(float64(2))},
		}},
		{Scope: api.ScopeRun, Name: "brisk-otter", Status: "awaiting_approval", Opaque: []string{"mine"}, Allowances: []api.Allowance{
			{Kind: api.LimitCost, Unpriced: 3}, of(api.LimitTokens, 999_999_999, 1_000_000_000), of(api.LimitWallTime, 4000, 24*3600),
			{Kind: api.LimitAttempts, Used: new(float64(3))}, of(api.LimitParallel, 0, 4), of(api.LimitAttemptCost, 0.4, 2.5), of(api.LimitAttemptTokens, 9000, 9000),
		}},
	})...)
	golden(t, "limits", strings.Join(lines, "\n")+"\n")
	for _, l := range lines {
		if terminal.Width(l) > 80 {
			t.Errorf("%d columns: %s", terminal.Width(l), l)
		}
	}
}

func TestInbox(t *testing.T) {
	list := []api.Waiting{
		{
			Kind: api.WaitApproval, Since: start.Add(-26 * time.Hour), Project: "shop", Reason: gated().Reason,
			Next: gated().Next, Run: gated().Run, Gate: gated().Gate,
		},
		{
			Kind: api.WaitPause, Since: start, Project: "library", Reason: "the runs of the project have cost $8.00 of its $6.00",
			Next: "`stellwerk resume odd-crow --max-project-cost USD` raises it for this run, `limits.project.cost_usd` in your settings for later ones",
			Run:  api.Run{Alias: "odd-\x1b[2Jcrow", Title: "A title that is much too long for a line of eighty columns", Status: "paused"},
		},
		{
			Kind: api.WaitReview, Since: start, Project: "shop", Reason: "feature/x is published and waits for a review",
			Next: "look at it", Run: api.Run{Alias: "calm-fox", Title: "x", Status: "awaiting_review"},
		},
		{
			Kind: api.WaitEpic, Since: start.Add(-time.Minute), Project: "shop", Reason: "could not be started: the branch feature/say-more exists already",
			Next: "`stellwerk projects requeue shop epic-2`", Epic: &api.Epic{ID: "epic-2"}, Run: api.Run{Alias: "say-more-8fd0fe", Title: "Say more", Status: api.StatusRefused},
		},
	}
	for name, v := range styles() {
		golden(t, "inbox-"+name, strings.Join(v.Inbox(list), "\n")+"\n")
		for _, l := range v.Inbox(list) {
			if terminal.Width(l) > 80 && name != "colour" {
				t.Errorf("%d columns: %s", terminal.Width(l), l)
			}
		}
	}
}
