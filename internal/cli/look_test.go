package cli

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/cli/run"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func refuseConnect(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
	return nil, nil, core.Wrap(core.CodeUnavailable, api.ErrNoEngine, "no engine runs", "")
}

func TestJSONHasNoControlCharacters(t *testing.T) {
	b := newBench(t)
	b.svc.Put(api.RunDetail{Run: api.Run{ID: "1", Alias: "a", Title: "x\u009b2J\u202ey\x1b"}})
	b.run(t, shell.ExitOK, "status", "--json")
	if strings.ContainsAny(b.out.String(), "\u009b\u202e\x1b") {
		t.Errorf("%q", b.out)
	}
	if got := decode[api.RunList](t, b.out.String()).Runs[0].Title; got != "x\u009b2J\u202ey\x1b" {
		t.Errorf("%q", got)
	}
}

func TestLog(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.happen("1", core.FeedbackGiven{Stage: "plan", Text: "more\x1b[2J"}, nil)
	b.run(t, shell.ExitOK, "log")
	b.said(t, b.out, "run started", `feedback            engine    plan: more\x1b[2J`)

	b.out.b.Reset()
	b.run(t, shell.ExitOK, "log", "--json")
	lines := strings.Split(strings.TrimSpace(b.out.String()), "\n")
	events, err := b.svc.Events(t.Context(), "1", 0, 0)
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

	b.ends("1", core.RunCompleted{}, core.StatusCompleted)
	b.run(t, shell.ExitOK, "log", "--follow")
	b.said(t, b.out, "run completed")
	b.run(t, shell.ExitError, "log", "--attempt", "nope")
	b.svc.Outputs = map[string]api.Output{"plan.r1.a1": {Records: []api.Record{{N: 1, At: noon, Kind: "text", Text: "hello\x07"}}, Next: 1, Done: true}}
	b.run(t, shell.ExitOK, "log", "--attempt", "plan.r1.a1")
	b.said(t, b.out, `hello\x07`)
}

func TestDiff(t *testing.T) {
	const patch = "diff --git a/x b/x\n+\x1b[2Jnew\r\n-old\n@@ -1 +1 @@\nno newline"
	b := newBench(t)
	b.svc.Documents = map[string]string{"diff": patch}
	b.put("1", "active")
	b.run(t, shell.ExitOK, "diff", "--stage", "plan", "--stat")
	if b.out.String() != patch {
		t.Errorf("a pipe got %q", b.out)
	}
	if q := b.svc.Calls()[0].Req; q != (api.DiffQuery{Stage: "plan", Stat: true}) {
		t.Errorf("%+v", q)
	}
	b = newBench(t)
	b.Console.Live = true
	b.svc.Documents = map[string]string{"diff": patch}
	b.put("1", "active")
	b.run(t, shell.ExitOK, "diff")
	if want := "diff --git a/x b/x\n+\\x1b[2Jnew\n-old\n@@ -1 +1 @@\nno newline\n"; b.out.String() != want {
		t.Errorf("a screen got %q", b.out)
	}
}

func TestInbox(t *testing.T) {
	b := newBench(t)
	b.run(t, shell.ExitOK, "inbox")
	b.said(t, b.out, "Nothing waits")
	s := subject()
	b.svc.Waiting = []api.Waiting{
		{
			Kind: api.WaitApproval, Next: "`stellwerk approve alias-1`", Since: b.Now().Add(-90 * time.Minute), Project: "shop",
			Run: api.Run{Alias: "alias-1", Status: "awaiting_approval"}, Gate: &core.Gate{Subject: s, Notices: []string{"touches .github/"}},
		},
		{Kind: api.WaitPause, Reason: "3 attempts failed", Since: b.Now(), Run: api.Run{Alias: "alias-2", Status: "paused"}},
	}
	b.run(t, shell.ExitOK, "inbox")
	b.said(t, b.out, "stellwerk approve alias-1", "for 1h30m", "shop", "touches .github/", "3 attempts failed")
}

func TestLimits(t *testing.T) {
	b := newBench(t)
	limit, left := 10.0, 4.0
	b.svc.Accounts = []api.Account{
		{Scope: api.ScopeProject, Name: "shop", Allowances: []api.Allowance{{Kind: api.LimitCost, Used: new(float64(6)), Limit: &limit, Left: &left}}},
		{Scope: api.ScopeRun, Name: "alias-1", Allowances: []api.Allowance{{Kind: api.LimitTokens, Used: new(float64(77))}}},
	}
	b.run(t, shell.ExitOK, "limits")
	b.said(t, b.out, "limits.project.cost_usd", "project shop", "$6.00 of $10.00", "$4.00 left", "run alias-1")
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "limits", "alias-1")
	b.said(t, b.out, "run alias-1", "77", "no limit")
	if text := b.out.String(); strings.Contains(text, "shop") || strings.Contains(text, "limits.attempts") {
		t.Errorf("more was said than asked for:\n%s", text)
	}
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "limits", "--json")
	if got := decode[run.LimitsAnswer](t, b.out.String()); len(got.Accounts) != 2 || *got.Accounts[0].Allowances[0].Left != 4 {
		t.Errorf("%+v", got)
	}
}

func TestReplay(t *testing.T) {
	b := newBench(t)
	b.put("1", "active")
	b.svc.ReplayAnswer = api.Replay{Events: 3, Decisions: 2, Other: 1, StateEqual: true}
	b.run(t, shell.ExitOK, "replay")
	b.said(t, b.out, "3 events, 2 decisions derived again, 1 made by other versions")
	b.svc.ReplayAnswer = api.Replay{Difference: "stage plan"}
	b.run(t, shell.ExitError, "replay")
	b.said(t, b.err, "do not lead to the stored state", "stage plan")
}

func TestTrust(t *testing.T) {
	b := newBench(t)
	b.svc.TrustAnswer = api.Trusted{Hash: "sha256:abc", Files: []string{"x.yaml"}, Content: "name: x"}
	b.run(t, shell.ExitWaiting, "trust", "-p", "x")
	b.said(t, b.out, "name: x", "stellwerk trust --playbook x --confirm sha256:abc")
	b.run(t, shell.ExitOK, "trust", "-p", "x", "--confirm", "sha256:abc")
	b.run(t, shell.ExitOK, "trust", "-p", "x", "--yes")
	b.said(t, b.out, "Trusted: x.yaml", "Hash:    sha256:abc")
}

func TestTrustSaysWhatItDoesNotCover(t *testing.T) {
	b := newBench(t)
	dir := inRepository(t, b)
	writeFile(t, dir+"/.stellwerk/playbooks/release.yaml", "name: release\n")
	writeFile(t, dir+"/.stellwerk/playbooks/draft.yaml", "name: draft\n")
	b.svc.TrustAnswer = api.Trusted{Hash: "sha256:abc"}
	b.svc.On = func(c apitest.Call) error {
		b.svc.TrustAnswer.Trusted = c.Req.(api.Trust).Playbook == ""
		if c.Req.(api.Trust).Playbook == "draft" {
			return core.Errorf(core.CodeNotFound, "there is no playbook")
		}
		return nil
	}
	b.run(t, shell.ExitOK, "trust", "--yes")
	b.said(t, b.out, "Nothing to trust: the playbook feature is built in",
		"Not trusted: .stellwerk/playbooks/release.yaml; `stellwerk trust --playbook release` shows it",
		"Not committed: .stellwerk/playbooks/draft.yaml")
}

func TestNothingToShowIsSaid(t *testing.T) {
	b := newBench(t)
	b.svc.Documents = map[string]string{"diff": ""}
	b.put("1", "active")
	b.run(t, shell.ExitOK, "diff")
	b.said(t, b.err, "alias-1 has changed no files: no agent has begun yet")
	b.run(t, shell.ExitOK, "diff", "--stage", "plan")
	b.said(t, b.err, "stage plan has changed no files")
	b.svc.Outputs = map[string]api.Output{"a1": {Done: true}, "a2": {}}
	b.run(t, shell.ExitOK, "log", "--attempt", "a1")
	b.run(t, shell.ExitOK, "log", "--attempt", "a2")
	b.said(t, b.err, "a1 ended without saying anything", "a2 has said nothing yet")
	if b.out.String() != "" {
		t.Errorf("a pipe got %q", b.out)
	}
}

func TestBackup(t *testing.T) {
	b := newBench(t)
	b.run(t, shell.ExitOK, "backup", "there")
	dir, _ := b.Dir()
	if got := b.svc.Calls()[0].Req; got != filepath.Join(dir, "there") {
		t.Errorf("%v", got)
	}
}

// inRepository gives the bench a git repository with a file.
func inRepository(t *testing.T, b *bench) string {
	t.Helper()
	dir, err := b.Dir()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir+"/go.mod", "module x\n")
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func TestPlaybooks(t *testing.T) {
	b := newBench(t)
	b.run(t, shell.ExitError, "init")
	dir := inRepository(t, b)
	b.run(t, shell.ExitOK, "init")
	b.said(t, b.out, "feature.yaml", "${test} is ")
	b.run(t, shell.ExitError, "init")
	b.said(t, b.err, "exists already")
	b.run(t, shell.ExitOK, "playbook", "validate")
	b.said(t, b.out, "valid: ")
	b.run(t, shell.ExitOK, "playbook", "list")
	b.said(t, b.out, "yours", "built in")
	b.run(t, shell.ExitOK, "playbook", "show", "feature")
	b.said(t, b.out, "kind: phases")

	writeFile(t, dir+"/.stellwerk/playbooks/bad.yaml", "name: bad\nkind: phases\nphases:\n  - id: a\n    role: \"no\\u001bbody\"\n")
	b.run(t, shell.ExitError, "playbook", "validate")
	b.said(t, b.out, "bad.yaml:5:")
	if strings.Contains(b.out.String(), "\x1b") {
		t.Errorf("%q", b.out)
	}
	b.out.b.Reset()
	b.run(t, shell.ExitError, "playbook", "validate", "--json", ".stellwerk/playbooks/bad.yaml")
	if v := decode[map[string][]playbook.Verdict](t, b.out.String())["playbooks"]; len(v) != 1 || v[0].Valid || len(v[0].Problems) == 0 {
		t.Errorf("%s", b.out)
	}
	b.run(t, shell.ExitError, "playbook", "show", "nope")
	b.said(t, b.err, "there is no built-in playbook", "try: ")
}

func TestPlaybookImport(t *testing.T) {
	b := newBench(t)
	dir := inRepository(t, b)
	writeFile(t, dir+"/phases.conf", `PHASES=(
  "0|architect-planner|APPROVAL|GLOB:.workflow/specs/issue-*-plan.md"
)
`)
	b.run(t, shell.ExitOK, "playbook", "import", "phases.conf", "-o", ".stellwerk/playbooks/byta.yaml")
	b.run(t, shell.ExitError, "playbook", "import", "phases.conf", "-o", ".stellwerk/playbooks/byta.yaml")
	b.said(t, b.err, "exists already")
	b.run(t, shell.ExitOK, "playbook", "import", "phases.conf")
	b.said(t, b.out, "kind: phases")
	writeFile(t, dir+"/phases.conf", "what\n")
	b.run(t, shell.ExitError, "playbook", "import", "phases.conf")
	b.said(t, b.err, "phases.conf:1:")
}

func TestRolesSchemaLimits(t *testing.T) {
	b := newBench(t)
	dir := inRepository(t, b)
	writeFile(t, dir+"/.stellwerk/roles/poet.md", "---\nname: poet\ndescription: writes verse\n---\nYou write verse.\x1b[2J\n")
	b.run(t, shell.ExitOK, "roles")
	b.said(t, b.out, "poet", "yours", "code-reviewer", "built in")
	b.run(t, shell.ExitOK, "roles", "poet")
	b.said(t, b.out, `You write verse.\x1b[2J`)
	b.run(t, shell.ExitError, "roles", "nobody")

	b.run(t, shell.ExitOK, "schema")
	for _, s := range playbook.PublishedSchemas() {
		b.said(t, b.out, s.Name, s.About)
	}
	for _, s := range playbook.PublishedSchemas() {
		b.out.b.Reset()
		b.run(t, shell.ExitOK, "schema", s.Name)
		decode[map[string]any](t, b.out.String())
	}

	b.env["STELLWERK_LIMITS_ATTEMPTS"] = "5"
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "limits", "--json")
	for _, s := range decode[run.LimitsAnswer](t, b.out.String()).Settings {
		if s.Key == "limits.attempts" && (s.Value != "5" || !strings.Contains(s.From, "environment")) {
			t.Errorf("%+v", s)
		}
	}
}

func TestVersion(t *testing.T) {
	b := newBench(t)
	b.Dial = nil
	b.run(t, shell.ExitOK, "version")
	b.said(t, b.out, "stellwerk 1.0\nbuilt with go")

	b.Build = shell.Build{Version: "1.1", Commit: "0123456789abcdef0123", Date: "2026-01-02T03:04:05Z"}
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "--version")
	b.said(t, b.out, "stellwerk 1.1\ncommit 0123456789ab, 2026-01-02T03:04:05Z\nbuilt with go")

	b.Build.Modified = true
	b.run(t, shell.ExitOK, "version")
	b.said(t, b.out, "commit 0123456789ab with changes, 2026-01-02T03:04:05Z\n")
	b.out.b.Reset()
	b.run(t, shell.ExitOK, "version", "--json")
	var got map[string]any
	if err := json.Unmarshal(b.out.b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["commit"] != b.Build.Commit || got["date"] != b.Build.Date || got["modified"] != true || got["version"] != "1.1" {
		t.Errorf("%v", got)
	}
}
