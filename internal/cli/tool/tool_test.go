package tool_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// project has an open run of a project, and one that is none.
func project(b *clitest.Bench) *clitest.Bench {
	b.Put("1", "active")
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "2", Alias: "alias-2", Project: "shop", Kind: playbook.KindManager, Status: "active"}})
	return b
}

func TestToolsSendWhatIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		args []string
		verb string
		want any
		said string
	}{
		"a prompt": {"", []string{"delegate", "Add it."}, "delegate", core.Proposal{Prompt: "Add it."}, "t1 is admitted"},
		"everything": {"", []string{"delegate", "Add it.", "api", "--kind", "code", "--role", "dev", "--title", "It", "--input", "a.md", "--input", "b.md",
			"--output", "c.md", "--check", "make a, b", "--after", "t1"}, "delegate",
			core.Proposal{Prompt: "Add it.", Line: "api", Kind: core.KindCode, Role: "dev", Title: "It", Inputs: []string{"a.md", "b.md"},
				Outputs: []string{"c.md"}, Checks: []string{"make a, b"}, After: []string{"t1"}}, "t1"},
		"a prompt from standard input": {"Add\nit.\n", []string{"delegate", "-", "api"}, "delegate", core.Proposal{Prompt: "Add\nit.", Line: "api"}, "t1"},
		"a branch alone":               {"", []string{"delegate", "--kind", "merge", "api"}, "delegate", core.Proposal{Line: "api", Kind: core.KindMerge}, "t1"},
		"a reason and a branch":        {"", []string{"delegate", "too big", "api", "--kind", "discard"}, "delegate", core.Proposal{Prompt: "too big", Line: "api", Kind: core.KindDiscard}, "t1"},
		"a branch by its flag":         {"", []string{"delegate", "--kind", "discard", "--branch", "api", "too big"}, "delegate", core.Proposal{Prompt: "too big", Line: "api", Kind: core.KindDiscard}, "t1"},
		"no prompt needed":             {"", []string{"delegate", "--kind", "pr"}, "delegate", core.Proposal{Kind: core.KindPR}, "t1"},
		"a dash":                       {"", []string{"delegate", "--", "- add it"}, "delegate", core.Proposal{Prompt: "- add it"}, "t1"},
		"a message":                    {"", []string{"message", "Hello."}, "message", api.Tell{Text: "Hello."}, "sent (e1)"},
		"a message as blue":            {"", []string{"message", "--role", "blue", "Hello."}, "message", api.Tell{Text: "Hello.", Voice: core.VoiceBlue}, "sent"},
		"a question":                   {"", []string{"question", "Which?"}, "question", api.Ask{Text: "Which?"}, "asked as q-"},
		"a question with a default":    {"", []string{"question", "Which?", "--default", "A", "--after", "2h"}, "question", api.Ask{Text: "Which?", Default: "A", After: 2 * time.Hour}, "asked as q-"},
	} {
		t.Run(name, func(t *testing.T) {
			b := project(clitest.New(t))
			b.Console.In = strings.NewReader(c.in)
			b.Run(t, shell.ExitOK, append([]string{"tool"}, c.args...)...)
			b.Asked(t, c.verb)
			got, want := asJSON(t, b.Svc.Calls()[0].Req), asJSON(t, c.want)
			if got != want || b.Svc.Calls()[0].Run != "2" {
				t.Errorf("sent %s to run %s, want %s", got, b.Svc.Calls()[0].Run, want)
			}
			b.Said(t, b.Out, c.said)
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestToolsThatCannotBeUnderstood(t *testing.T) {
	for _, args := range [][]string{
		{"delegate"}, {"delegate", "a", "b", "c"}, {"delegate", "a", "api", "--branch", "web"}, {"delegate", "--kind", "review"},
		{"delegate", "a", "api", "--file", "f"}, {"message"}, {"message", " "}, {"plan"}, {"question"}, {"question", "Which?", "--default", "A"}, {"shout"},
	} {
		b := project(clitest.New(t))
		b.Console.In = strings.NewReader("  \n")
		if args[0] == "message" && len(args) == 2 {
			args[1] = "-"
		}
		b.Run(t, shell.ExitUsage, append([]string{"tool"}, args...)...)
		b.Asked(t)
	}
}

func TestToolsOfAPersonFindTheProject(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Run(t, shell.ExitError, "tool", "message", "Hello.")
	b.Said(t, b.Err, "no project has an open run here", "--run")
	b = project(clitest.New(t))
	b.Run(t, shell.ExitOK, "tool", "message", "--project", "shop", "Hello.")
	b.Run(t, shell.ExitOK, "tool", "--run", "alias-1", "message", "Hello.")
	if calls := b.Svc.Calls(); calls[0].Run != "2" || calls[1].Run != "alias-1" {
		t.Errorf("%+v", calls)
	}
	b.Run(t, shell.ExitError, "tool", "message", "--project", "other", "Hello.")
	b.Put("3", "active")
	b.Svc.Put(api.RunDetail{Run: api.Run{ID: "3", Alias: "alias-3", Kind: playbook.KindRules, Status: "active"}})
	b.Run(t, shell.ExitError, "tool", "message", "Hello.")
	b.Said(t, b.Err, "which one?", "alias-2", "alias-3")
}

// TestToolsOfAnAttempt are those of its token, and of nobody else.
func TestToolsOfAnAttempt(t *testing.T) {
	b := clitest.New(t)
	var heard []string
	b.Tools = func(_ context.Context, socket, token string) (api.Tools, func() error, error) {
		heard = append(heard, socket, token)
		return b.Svc, func() error { return nil }, nil
	}
	b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
		t.Error("an attempt connected as the person")
		return b.Svc, func() error { return nil }, nil
	}
	b.Env[agent.EnvToken], b.Env[agent.EnvSocket], b.Env[agent.EnvRun], b.Env["STELLWERK_ATTEMPT"] = "secret", "/s.sock", "7", "manager.r1.a1"
	b.Run(t, shell.ExitOK, "tool", "message", "Hello.")
	if calls := b.Svc.Calls(); len(calls) != 1 || calls[0].Run != "7" || strings.Join(heard, " ") != "/s.sock secret" {
		t.Errorf("%+v, with %q", calls, heard)
	}
	b.Run(t, shell.ExitUsage, "tool", "message", "--project", "shop", "Hello.")
	delete(b.Env, agent.EnvToken)
	b.Run(t, shell.ExitError, "tool", "message", "Hello.")
	b.Said(t, b.Err, "attempt manager.r1.a1")
}

func TestToolRefused(t *testing.T) {
	b := project(clitest.New(t))
	b.Svc.On = func(apitest.Call) error {
		return core.Errorf(core.CodeConflict, "there is no plan yet").WithHint("write one first")
	}
	b.Run(t, shell.ExitError, "tool", "delegate", "Add it.")
	b.Said(t, b.Err, "there is no plan yet", "try: write one first")
	if b.Out.String() != "" {
		t.Errorf("standard output: %s", b.Out)
	}
}

func TestToolPlan(t *testing.T) {
	b := project(clitest.New(t))
	dir := b.Dir
	if err := os.Mkdir(filepath.Join(dir, ".ai"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ai", "plan.md"), []byte("# Plan\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Run(t, shell.ExitOK, "tool", "plan", "the plan", "--base", "d1")
	b.Asked(t, "show plan", "plan")
	want := asJSON(t, api.UpdatePlan{Files: map[string]string{"plan.md": "# Plan\n"}, Base: "d1", Message: "the plan"})
	if got := asJSON(t, b.Svc.Calls()[1].Req); got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	b.Said(t, b.Out, "committed plan.md as")
	b.Run(t, shell.ExitOK, "tool", "plan", "--show")
	b.Said(t, b.Err, "there is no plan yet")
}

func TestToolDetail(t *testing.T) {
	b := project(clitest.New(t))
	b.Run(t, shell.ExitOK, "tool", "detail", "d3", "--from", "7")
	b.Said(t, b.Out, "the content of d3")
	if got, want := asJSON(t, b.Svc.Calls()[0].Req), asJSON(t, api.FetchDetail{Name: "d3", From: 7}); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	b.Run(t, shell.ExitOK, "tool", "detail", "--list")
	b.Said(t, b.Out, "d1  schema.md (wave 1): three tables", "wave_01_compact.md")
	b.Run(t, shell.ExitUsage, "tool", "detail")
	b.Run(t, shell.ExitUsage, "tool", "detail", "d3", "--list")
	b.Run(t, shell.ExitUsage, "tool", "detail", "d3", "--from", "-1")
}
