package run_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

const aSession = "5f0c1d2e-session"

// inSession runs commands as Claude Code would, in a session that owns run r1.
func inSession(t *testing.T, kind api.TurnKind) *clitest.Bench {
	t.Helper()
	b := clitest.New(t)
	b.Env[shell.SessionVariable] = aSession
	b.Put("r1", core.StatusAwaiting)
	turn(b, kind)
	return b
}

func turn(b *clitest.Bench, kind api.TurnKind) {
	run := api.Run{ID: "r1", Alias: "alias-r1", Status: "awaiting_approval"}
	turn := api.Turn{Kind: kind, Run: &run, Stage: "review", Round: 1, At: 2, Stages: 3}
	switch kind {
	case api.TurnGate:
		turn.Gate = &core.Gate{Subject: clitest.Subject()}
	case api.TurnStart:
		turn.Offers = []api.Offer{{Attempt: "a", Role: "developer", Type: "stellwerk:developer", Prompt: "/p.md", N: 1}}
	default: // the others have nothing more
	}
	b.Svc.Sessions.Turns(turn)
}

// steered is the call that changed something, without the questions around it.
func steered(b *clitest.Bench, t *testing.T) apitest.Call {
	t.Helper()
	for _, c := range b.Svc.Calls() {
		if c.Verb != "turn" {
			return c
		}
	}
	t.Fatal("nothing was asked of the engine")
	return apitest.Call{}
}

func TestAdvancePassesOnAWord(t *testing.T) {
	gate := clitest.Subject()
	for _, c := range []struct {
		args string
		verb string
		req  any
	}{
		{"approve", "approve", api.Approve{Subject: &gate}},
		{"approve --base develop", "approve", api.Approve{Subject: &gate, Base: "develop"}},
		{"feedback use the index", "feedback", api.Feedback{Subject: &gate, Text: "use the index"}},
		{"rollback --to plan more tests", "rollback", api.Rollback{Subject: &gate, To: "plan", Text: "more tests"}},
		{"skip", "skip", api.Skip{}},
		{"retry", "retry", api.Retry{}},
		{"pause", "pause", api.Pause{}},
		{"resume", "resume", api.Resume{}},
	} {
		b := inSession(t, api.TurnGate)
		b.Svc.On = func(call apitest.Call) error {
			if call.Verb == c.verb {
				turn(b, api.TurnStart)
			}
			return nil
		}
		b.Run(t, shell.ExitOK, append([]string{"advance"}, strings.Fields(c.args)...)...)
		if got := steered(b, t); got.Verb != c.verb || got.Run != "r1" || !equalJSON(t, got.Req, c.req) {
			t.Errorf("%s: %+v", c.args, got)
		}
		b.Said(t, b.Out, "Start this agent now", "subagent_type: stellwerk:developer", "/p.md")
		if b.Detached != 1 {
			t.Errorf("%s: an engine in the background was asked for %d times", c.args, b.Detached)
		}
	}
}

// TestAdvanceGoesBackToAStageByIDOrNumber: what follows is the text. A sentence that
// begins with such a word is a sentence.
func TestAdvanceGoesBackToAStageByIDOrNumber(t *testing.T) {
	for _, c := range []struct {
		words    []string
		to, text string
	}{
		{[]string{"1", "check who may"}, "plan", "check who may"},
		{[]string{"plan", "check who may"}, "plan", "check who may"},
		{[]string{"7", "check who may"}, "", "7 check who may"},
		{[]string{"1", "check", "who", "may"}, "", "1 check who may"},
	} {
		b := inSession(t, api.TurnGate)
		b.Svc.Put(api.RunDetail{
			Run:    api.Run{ID: "r1", Alias: "alias-r1", Status: core.StatusAwaiting, Stage: "review"},
			Gate:   &core.Gate{Subject: clitest.Subject()},
			Stages: []api.Stage{{ID: "draft", Number: "0"}, {ID: "plan", Number: "1"}, {ID: "review"}},
		})
		b.Run(t, shell.ExitOK, append([]string{"advance", "rollback"}, c.words...)...)
		if got, ok := steered(b, t).Req.(api.Rollback); !ok || got.To != c.to || got.Text != c.text {
			t.Errorf("%q: %+v", c.words, got)
		}
	}
}

func TestAdvancePassesOnThePersonsOwnWords(t *testing.T) {
	b := inSession(t, api.TurnGate)
	state := t.TempDir()
	if err := snapshot.Write(state, snapshot.Snapshot{Session: aSession, Run: "r1"}); err != nil {
		t.Fatal(err)
	}
	b.Env["STELLWERK_STATE"] = state
	b.Run(t, shell.ExitUsage, "advance", "feedback")
	dir, err := snapshot.Dir(state, aSession)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "said.json"), []byte(`{"text":"/stellwerk:feedback It's \"wrong\".","at":"2026-03-01T12:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Run(t, shell.ExitOK, "advance", "feedback")
	if got := steered(b, t); got.Req.(api.Feedback).Text != `It's "wrong".` {
		t.Errorf("%+v", got)
	}
}

func TestAdvanceShowsTheLawsRefusal(t *testing.T) {
	b := inSession(t, api.TurnGate)
	b.Svc.On = func(call apitest.Call) error {
		if call.Verb == "approve" {
			return core.Errorf(core.CodeForbidden, "the person did not say %q", "approve").WithHint("show them what waits, and stop")
		}
		return nil
	}
	b.Run(t, shell.ExitError, "advance", "approve")
	b.Said(t, b.Err, `the person did not say "approve"`, "show them what waits")
	if b.Out.String() != "" {
		t.Errorf("and said %s", b.Out)
	}
}

func TestAdvanceCompletesOnlyWhatPublishes(t *testing.T) {
	b := inSession(t, api.TurnGate)
	b.Run(t, shell.ExitError, "advance", "complete")
	b.Said(t, b.Err, "is not waiting to publish anything")
}

func TestAdvanceStatus(t *testing.T) {
	b := inSession(t, api.TurnGate)
	b.Run(t, shell.ExitOK, "advance", "status")
	b.Said(t, b.Out, "alias-r1")

	b = clitest.New(t)
	b.Env[shell.SessionVariable] = aSession
	b.Put("r1", core.StatusActive) // of no session
	b.Run(t, shell.ExitOK, "advance", "status")
	b.Said(t, b.Out, "No session owns a run")
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "r2", Alias: "other-run", Status: "active", Session: "another", StartedAt: clitest.Noon}})
	b.Run(t, shell.ExitOK, "advance", "status")
	b.Said(t, b.Out, "other-run", "/stellwerk:resume other-run", "/stellwerk:cancel")
	b.Run(t, shell.ExitError, "advance", "approve")
	b.Said(t, b.Err, "owns no run")
}

func TestAdvanceIsForSessions(t *testing.T) {
	b := clitest.New(t)
	b.Put("r1", core.StatusAwaiting)
	b.Run(t, shell.ExitUsage, "advance", "approve")
	b.Run(t, shell.ExitUsage, "advance", "approve", "--session", "../x")
	b.Asked(t)
	b = inSession(t, api.TurnGate)
	b.Run(t, shell.ExitUsage, "advance", "frobnicate")
	b.Run(t, shell.ExitUsage, "advance", "approve", "--to", "plan")
	b.Env["STELLWERK_ATTEMPT"] = "a1"
	b.Run(t, shell.ExitError, "advance", "approve")
}

// TestWordsOfASessionAreItsOwn has every steering command in a session speak as
// the session, steer its own run, and say what comes next.
func TestWordsOfASessionAreItsOwn(t *testing.T) {
	for _, verb := range []string{"approve", "retry", "skip", "rollback"} {
		b := inSession(t, api.TurnGate).Own()
		b.Put("r2", core.StatusActive) // another run of the repository
		b.Run(t, shell.ExitOK, verb)
		if got := steered(b, t); got.Run != "r1" {
			t.Errorf("%s steered %s", verb, got.Run)
		}
		b.Said(t, b.Out, "waiting for you at stage review")
	}
}

func TestARunOfASessionBeginsAndReturns(t *testing.T) {
	b := clitest.New(t)
	b.Env[shell.SessionVariable] = aSession
	state := t.TempDir()
	b.Env["STELLWERK_STATE"] = state
	b.Put("r1", core.StatusActive)
	mark := startMark(t, state)
	b.Run(t, shell.ExitOK, "run", "--session", aSession, "add a search field")
	if got := steered(b, t); got.Req.(api.StartRun).Session != aSession || b.Detached != 1 {
		t.Errorf("%+v, detached %d", got, b.Detached)
	}
	b.Said(t, b.Out, "End your turn")
	if _, err := os.Stat(mark); err == nil {
		t.Error("the session is still reminded of its start")
	}

	mark = startMark(t, state)
	b.Svc.On = func(apitest.Call) error { return core.Errorf(core.CodeInvalid, "git does not know who you are") }
	b.Run(t, shell.ExitError, "run", "--session", aSession, "x")
	if _, err := os.Stat(mark); err != nil {
		t.Error("a start that can be mended is forgotten")
	}
	b.Svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeConflict, "run other is under way").WithHint("ask the person")
	}
	b.Run(t, shell.ExitError, "run", "--session", aSession, "x")
	b.Said(t, b.Err, "is under way", "ask the person")
	if _, err := os.Stat(mark); err == nil {
		t.Error("the session is reminded of what only the person can settle")
	}
	for _, flag := range []string{"--yes", "--trust"} {
		b.Run(t, shell.ExitError, "run", flag, "x")
		b.Said(t, b.Err, "for people only")
	}
}

// startMark lets the hooks note that a run was asked for.
func startMark(t *testing.T, state string) string {
	t.Helper()
	r := relay.Relay{State: state, Env: func(string) string { return "" }, Now: func() time.Time { return clitest.Noon }}
	event := `{"session_id":"` + aSession + `","hook_event_name":"UserPromptSubmit","prompt":"/stellwerk:feature x"}`
	if code := r.Handle(t.Context(), []byte(event), &clitest.Buffer{}, &clitest.Buffer{}); code != 0 {
		t.Fatal("exit code", code)
	}
	return filepath.Join(state, "sessions", aSession+".starting")
}

func TestResumeMovesARun(t *testing.T) {
	for args, want := range map[string]*string{
		"resume --session alias-r1":                  ptr(aSession),
		"resume alias-r1 --session":                  ptr(aSession),
		"resume --session " + aSession + " alias-r1": ptr(aSession),
		"resume --session=other alias-r1":            ptr("other"),
		"resume --headless alias-r1":                 ptr(""),
	} {
		b := inSession(t, api.TurnStart)
		b.Run(t, shell.ExitOK, strings.Fields(args)...)
		got := steered(b, t)
		if req, ok := got.Req.(api.Resume); !ok || req.Session == nil || *req.Session != *want || got.Run != "r1" {
			t.Errorf("%s: %+v", args, got)
		}
	}
	b := clitest.New(t)
	b.Put("r1", core.StatusPaused)
	b.Run(t, shell.ExitUsage, "resume", "alias-r1", "--session")
	b.Run(t, shell.ExitUsage, "resume", "--session=a", "--headless", "alias-r1")
	b.Asked(t)
}

// TestALockedShellStartsNoEngine keeps an engine from inheriting the lock.
func TestALockedShellStartsNoEngine(t *testing.T) {
	b := inSession(t, api.TurnGate)
	state := t.TempDir()
	b.Env["STELLWERK_STATE"] = state
	b.Env["PATH"] = filepath.Join(relay.LockDir(state), "bin") + ":/usr/bin"
	existing := false
	connect := b.Dial
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		existing = o.Existing
		return connect(ctx, o)
	}
	b.Run(t, shell.ExitOK, "advance", "approve")
	if !existing || b.Detached != 0 {
		t.Errorf("existing %v, detached %d", existing, b.Detached)
	}
}

func ptr(s string) *string { return &s }

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	left, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	right, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(left) == string(right)
}
