package run_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestJSONHasNoControlCharacters(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "a", Title: "x\u009b2J\u202ey\x1b"}})
	b.Run(t, shell.ExitOK, "status", "--json")
	if strings.ContainsAny(b.Out.String(), "\u009b\u202e\x1b") {
		t.Errorf("%q", b.Out)
	}
	if got := clitest.Decode[api.RunList](t, b.Out.String()).Runs[0].Title; got != "x\u009b2J\u202ey\x1b" {
		t.Errorf("%q", got)
	}
}

func TestLog(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Happen("1", core.FeedbackGiven{Stage: "plan", Text: "more\x1b[2J"}, nil)
	b.Run(t, shell.ExitOK, "log")
	b.Said(t, b.Out, "run started", `feedback            engine    plan: more\x1b[2J`)

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "log", "--json")
	lines := strings.Split(strings.TrimSpace(b.Out.String()), "\n")
	events, err := b.Svc.Events(t.Context(), "1", 0, 0)
	if err != nil || len(lines) != len(events) {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	for i, line := range lines {
		var e core.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		got, gerr := e.Hash()
		want, werr := events[i].Hash()
		if gerr != nil || werr != nil || got != want {
			t.Errorf("line %d is another event: %s", i, line)
		}
	}

	b.Ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.Run(t, shell.ExitOK, "log", "--follow")
	b.Said(t, b.Out, "run completed")
	b.Run(t, shell.ExitError, "log", "--attempt", "nope")
	b.Svc.Outputs = map[string]api.Output{"plan.r1.a1": {Records: []api.Record{{N: 1, At: clitest.Noon, Kind: "text", Text: "hello\x07"}}, Next: 1, Done: true}}
	b.Run(t, shell.ExitOK, "log", "--attempt", "plan.r1.a1")
	b.Said(t, b.Out, `hello\x07`)
}

func TestDiff(t *testing.T) {
	const patch = "diff --git a/x b/x\n+\x1b[2Jnew\r\n-old\n@@ -1 +1 @@\nno newline"
	b := clitest.New(t)
	b.Svc.Documents = map[string]string{"diff": patch}
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "diff", "--stage", "plan", "--stat")
	if b.Out.String() != patch {
		t.Errorf("a pipe got %q", b.Out)
	}
	if q := b.Svc.Calls()[0].Req; q != (api.DiffQuery{Stage: "plan", Stat: true}) {
		t.Errorf("%+v", q)
	}
	b = clitest.New(t)
	b.Console.Live = true
	b.Svc.Documents = map[string]string{"diff": patch}
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "diff")
	if want := "diff --git a/x b/x\n+\\x1b[2Jnew\n-old\n@@ -1 +1 @@\nno newline\n"; b.Out.String() != want {
		t.Errorf("a screen got %q", b.Out)
	}
}

func TestInbox(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "inbox")
	b.Said(t, b.Out, "Nothing waits")
	s := clitest.Subject()
	b.Svc.Waiting = []api.Waiting{
		{
			Kind: api.WaitApproval, Next: "`stellwerk approve alias-1`", Since: b.Now().Add(-90 * time.Minute), Project: "shop",
			Run: api.Run{Alias: "alias-1", Status: "awaiting_approval"}, Gate: &core.Gate{Subject: s, Notices: []string{"touches .github/"}},
		},
		{Kind: api.WaitPause, Reason: "3 attempts failed", Since: b.Now(), Run: api.Run{Alias: "alias-2", Status: "paused"}},
	}
	b.Run(t, shell.ExitOK, "inbox")
	b.Said(t, b.Out, "stellwerk approve alias-1", "for 1h30m", "shop", "touches .github/", "3 attempts failed")
}

func TestLimits(t *testing.T) {
	b := clitest.New(t)
	limit, left := 10.0, 4.0
	b.Svc.Accounts = []api.Account{
		{Scope: api.ScopeProject, Name: "shop", Allowances: []api.Allowance{{Kind: api.LimitCost, Used: new(float64(6)), Limit: &limit, Left: &left}}},
		{Scope: api.ScopeRun, Name: "alias-1", Allowances: []api.Allowance{{Kind: api.LimitTokens, Used: new(float64(77))}}},
	}
	b.Run(t, shell.ExitOK, "limits")
	b.Said(t, b.Out, "limits.project.cost_usd", "project shop", "$6.00 of $10.00", "$4.00 left", "run alias-1")
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "limits", "alias-1")
	b.Said(t, b.Out, "run alias-1", "77", "no limit")
	if text := b.Out.String(); strings.Contains(text, "shop") || strings.Contains(text, "limits.attempts") {
		t.Errorf("more was said than asked for:\n%s", text)
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "limits", "--json")
	if got := clitest.Decode[struct{ Accounts []api.Account }](t, b.Out.String()); len(got.Accounts) != 2 || *got.Accounts[0].Allowances[0].Left != 4 {
		t.Errorf("%+v", got)
	}
}

func TestReplay(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Svc.ReplayAnswer = api.Replay{Events: 3, Decisions: 2, Other: 1, StateEqual: true}
	b.Run(t, shell.ExitOK, "replay")
	b.Said(t, b.Out, "3 events, 2 decisions derived again, 1 made by other versions")
	b.Svc.ReplayAnswer = api.Replay{Difference: "stage plan"}
	b.Run(t, shell.ExitError, "replay")
	b.Said(t, b.Err, "do not lead to the stored state", "stage plan")
}

func TestNothingToShowIsSaid(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Documents = map[string]string{"diff": ""}
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "diff")
	b.Said(t, b.Err, "alias-1 has changed no files: no agent has begun yet")
	b.Run(t, shell.ExitOK, "diff", "--stage", "plan")
	b.Said(t, b.Err, "stage plan has changed no files")
	b.Svc.Outputs = map[string]api.Output{"a1": {Done: true}, "a2": {}}
	b.Run(t, shell.ExitOK, "log", "--attempt", "a1")
	b.Run(t, shell.ExitOK, "log", "--attempt", "a2")
	b.Said(t, b.Err, "a1 ended without saying anything", "a2 has said nothing yet")
	if b.Out.String() != "" {
		t.Errorf("a pipe got %q", b.Out)
	}
}
