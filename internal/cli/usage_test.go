package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{"frobnicate"}, {"--frobnicate"}, {"status", "--frobnicate"}, {"run"}, {"run", " "}, {"status", "a", "b"},
		{"run", "x", "--isolation", "wall"}, {"run", "x", "--max-cost", "much"}, {"run", "x", "--max-cost", "0"},
		{"run", "x", "--max-time", "-2h"}, {"run", "x", "--attempts", "-1"}, {"run", "x", "--coverage", "101"},
		{"run", "x", "--max-cost", "NaN"}, {"resume", "x", "--max-cost", "0"}, {"resume", "x", "--max-cost", "-1"}, {"resume", "x", "--max-tokens", "0"},
		{"resume", "x", "--max-project-cost", "inf"}, {"resume", "x", "--max-project-tokens", "-5"}, {"resume", "x", "--max-project-time", "0s"},
		{"resume", "x", "--max-project-attempts", "0"},
		{"run", "x", "--max-attempt-cost", "0"}, {"retry", "x", "--max-attempt-cost", "-1"}, {"retry", "x", "--max-attempt-tokens", "0"},
		{"completion", "tcsh"}, {"schema", "frobnicate"}, {"backup"}, {"trust", "--yes", "--confirm", "x"}, {"worker", "run"},
	} {
		b := clitest.New(t)
		b.Run(t, shell.ExitUsage, args...)
		lines := strings.Split(strings.TrimRight(b.Err.String(), "\n"), "\n")
		if !strings.HasPrefix(lines[0], "stellwerk: ") || !strings.HasPrefix(lines[len(lines)-1], "  usage: stellwerk") {
			t.Errorf("%q says:\n%s", args, b.Err)
		}
		if b.Out.String() != "" || len(b.Svc.Calls()) > 0 {
			t.Errorf("%q printed %s and asked %v", args, b.Out, b.Svc.Calls())
		}
	}
}

func TestUsageErrorsNameWhatWasProbablyMeant(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"statsu"}, "  try: stellwerk status\n"},
		{[]string{"appr"}, "  try: stellwerk approve\n"},
		{[]string{"zzz"}, "  try: stellwerk --help\n"},
		{[]string{"playbook", "lst"}, "  try: stellwerk playbook list\n"},
		{[]string{"run", "x", "--playbok", "y"}, "  try: --playbook, or stellwerk run --help\n"},
		{[]string{"status", "--josn"}, "  try: --json, or stellwerk status --help\n"},
		{[]string{"status", "-x"}, "  try: stellwerk status --help\n"},
	} {
		b := clitest.New(t)
		b.Run(t, shell.ExitUsage, c.args...)
		b.Said(t, b.Err, c.want)
	}
}

// TestUsageErrorsSayWhatIsTaken: nobody is told of a library's parsing.
func TestUsageErrorsSayWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run"}, "stellwerk: run needs \"GOAL\", but got nothing\n  try: stellwerk run \"add a search field to the list\"\n"},
		{[]string{"run", "x", "--max-cost", "abc"}, "stellwerk: --max-cost abc: must be a number, such as 2.5 (pause when the run has cost this many USD)\n"},
		{[]string{"run", "x", "--attempts", "1.5"}, "stellwerk: --attempts 1.5: must be a whole number, such as 3 (tries per stage and round (default 3))\n"},
		{[]string{"run", "x", "--max-time", "long"}, "stellwerk: --max-time long: must be a time, such as 45m or 2h30m (pause after this TIME, such as 2h30m)\n"},
		{[]string{"run", "x", "--max-cost"}, "stellwerk: --max-cost needs a value (pause when the run has cost this many USD)\n"},
		{[]string{"run", "x", "--yes=perhaps"}, "stellwerk: --yes perhaps: must be true or false (approve every gate; recorded as policy, not as you)\n"},
		{[]string{"status", "a", "b"}, "stellwerk: status: \"b\" is one argument too many\n"},
		{[]string{"doctor", "x"}, "stellwerk: doctor: \"x\" is one argument too many\n"},
		{[]string{"tokens", "add", "ada"}, "stellwerk: tokens add needs --role (what it allows: viewer, approver or admin)\n"},
		{[]string{"approve", "--follow", "--detach"}, "stellwerk: --detach and --follow: use only one\n"},
		{[]string{"serve", "--listen", "99999"}, "stellwerk: --listen 99999: put an address before the port\n  try: --listen 127.0.0.1:7341\n"},
		{[]string{"serve", "--listen", "127.0.0.1:99999"}, "stellwerk: --listen 127.0.0.1:99999: a port must be between 0 and 65535\n"},
	} {
		b := clitest.New(t)
		b.Run(t, shell.ExitUsage, c.args...)
		if got := b.Err.String(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q says\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
}

func TestErrorsAreWrappedOnAScreen(t *testing.T) {
	b := clitest.New(t)
	b.Console.ErrWidth = func() int { return 40 }
	b.Run(t, shell.ExitError, "status", "a-run-that-nobody-has-ever-heard-of")
	for line := range strings.Lines(b.Err.String()) {
		if w := terminal.Width(strings.TrimRight(line, "\n")); w > 40 && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// TestSentencesAreWrappedOnAScreen: no line that could be broken is wider than the screen.
func TestSentencesAreWrappedOnAScreen(t *testing.T) {
	const columns = 40
	for name, c := range map[string]struct {
		code int
		set  func(*clitest.Bench) []string
		says string
	}{
		"init": {shell.ExitOK, func(b *clitest.Bench) []string {
			if err := os.Rename(clitest.InRepository(t, b)+"/go.mod", b.Env["HOME"]+"/README"); err != nil { // so that nothing is found
				t.Fatal(err)
			}
			return []string{"init"}
		}, "runs leave its check out"},
		"validate": {shell.ExitError, func(b *clitest.Bench) []string {
			clitest.WriteFile(t, clitest.InRepository(t, b)+"/.stellwerk/playbooks/own.yaml", "name: own\nkind: phase\n")
			return []string{"playbook", "validate", ".stellwerk/playbooks/own.yaml"}
		}, "did you mean"},
		"merge": {shell.ExitError, func(b *clitest.Bench) []string {
			b.At("n").Put("1", "completed")
			b.Svc.MergeAnswer = api.Mergeable{Branch: "feature/x", Base: "main", Tree: "/home/ada/project", Reason: "main is checked out", Command: "git merge"}
			return []string{"merge", "alias-1"}
		}, "[y/N]"},
		"stop": {shell.ExitOK, func(b *clitest.Bench) []string {
			b.Stop = func(context.Context, shell.ConnectOptions) (api.Info, error) {
				return api.Info{PID: 7, Runs: 2}, nil
			}
			return []string{"stop", "--state", "/srv/state"}
		}, "the next engine continues them"},
	} {
		t.Run(name, func(t *testing.T) {
			b := clitest.New(t)
			b.Console.Width = func() int { return columns }
			b.Run(t, c.code, c.set(b)...)
			if !strings.Contains(strings.Join(strings.Fields(b.Out.String()), " "), c.says) {
				t.Errorf("%q is missing in %s", c.says, b.Out)
			}
			for line := range strings.Lines(b.Out.String()) {
				if w := terminal.Width(strings.TrimRight(line, " \n")); w > columns && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%d columns: %s", w, line)
				}
			}
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "awaiting_approval")
	b.Svc.On = func(apitest.Call) error {
		return core.Wrap(core.CodeConflict, errors.New("the \x1b[31mbase moved"), "not approved", "look again")
	}
	b.Run(t, shell.ExitError, "approve")
	if got := b.Err.String(); got != "stellwerk: not approved: the \\x1b[31mbase moved\n  try: look again\n" {
		t.Errorf("%q", got)
	}
}

// TestHelp holds every command to a description, an example and 80 columns.
func TestHelp(t *testing.T) {
	b := clitest.New(t)
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if cmd.Name() == "help" {
			return
		}
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" {
			t.Errorf("%v lacks a text", path)
		}
		if cmd.HasSubCommands() && cmd.RunE == nil {
			t.Errorf("%v does nothing", path)
		}
		fresh := clitest.New(t)
		fresh.Run(t, shell.ExitOK, append(path, "--help")...)
		for line := range strings.Lines(fresh.Out.String()) {
			if w := terminal.Width(strings.TrimRight(line, "\n")); w > 80 {
				t.Errorf("%v --help: %d columns: %s", path, w, line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(cli.NewRoot(&shell.Shell{Program: b.Program}))
}

func TestEveryCommandOfTheDesignIsThere(t *testing.T) {
	root := cli.NewRoot(&shell.Shell{Program: clitest.New(t).Program})
	for _, name := range strings.Fields(`run status watch log diff inbox projects approve feedback rollback skip retry pause resume
		cancel replay trust init playbook roles schema limits serve stop engines worker doctor backup restore demo scripted-model
		scripted-agent version completion store`) {
		if cmd, _, err := root.Find([]string{name}); err != nil || cmd.Name() != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "fish"} {
		b := clitest.New(t)
		b.Run(t, shell.ExitOK, "completion", name)
		b.Said(t, b.Out, "stellwerk")
	}
	b := clitest.New(t)
	b.Put("1", "active")
	b.Put("2", "completed")
	b.Run(t, shell.ExitOK, "__complete", "approve", "")
	b.Said(t, b.Out, "alias-1\tTitle 1")
	if strings.Contains(b.Out.String(), "alias-2") {
		t.Errorf("a run that has ended is offered: %s", b.Out)
	}
	b.Run(t, shell.ExitOK, "__complete", "show", "--run", "")
	b.Said(t, b.Out, "alias-2\tTitle 2")
	b = clitest.New(t)
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "__complete", "rollback", "alias-1", "--to", "")
	b.Said(t, b.Out, "plan\n", "review\n")
	b = clitest.New(t)
	b.Run(t, shell.ExitOK, "__complete", "run", "--network", "")
	b.Said(t, b.Out, "listed\nnone\nopen\n:4\n") // and no names of files
	b.Run(t, shell.ExitOK, "__complete", "run", "--playbook", "")
	b.Said(t, b.Out, "feature\n")
	dir := b.Dir
	clitest.WriteFile(t, dir+"/.stellwerk/playbooks/release.yaml", "name: release\n")
	for _, line := range [][]string{{"run", "--playbook"}, {"say", "--playbook"}, {"trust", "--playbook"}, {"playbook", "show"}} {
		b.Out.B.Reset()
		b.Run(t, shell.ExitOK, append(append([]string{"__complete"}, line...), "")...)
		b.Said(t, b.Out, "release\n", "feature\n")
	}
}

// What the documentation tells people to type is in the list of commands.
func TestHelpListsTheScriptedModel(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "--help")
	b.Said(t, b.Out, "\n  scripted-model ")
}

func TestCompletionWithoutAnEngine(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Happen("1", core.RunStarted{}, nil)
	events, err := b.Svc.Events(t.Context(), "1", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	line, err := events[0].Line()
	if err != nil {
		t.Fatal(err)
	}
	b.Env["STELLWERK_STATE"] = t.TempDir()
	clitest.WriteFile(t, b.Env["STELLWERK_STATE"]+"/runs/1/manifest.jsonl", string(line)+"\n")
	clitest.WriteFile(t, b.Env["STELLWERK_STATE"]+"/runs/2/manifest.jsonl", "torn")
	b.Dial = clitest.NoEngine
	b.Run(t, shell.ExitOK, "__complete", "approve", "")
	b.Said(t, b.Out, "alias-1\tTitle 1")
	b.Out.B.Reset()
	clitest.WriteFile(t, b.Env["STELLWERK_STATE"]+"/runs/1/workflow-state.json", `{"status": "cancelled"}`)
	b.Run(t, shell.ExitOK, "__complete", "approve", "")
	if strings.Contains(b.Out.String(), "alias-1") {
		t.Errorf("a run that has ended is offered: %s", b.Out)
	}
	b.Run(t, shell.ExitOK, "__complete", "status", "")
	b.Said(t, b.Out, "alias-1\tTitle 1")
}

func TestVersion(t *testing.T) {
	b := clitest.New(t)
	b.Dial = nil
	b.Run(t, shell.ExitOK, "version")
	b.Said(t, b.Out, "stellwerk 1.0\nbuilt with go")

	b.Build = shell.Build{Version: "1.1", Commit: "0123456789abcdef0123", Date: "2026-01-02T03:04:05Z"}
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "--version")
	b.Said(t, b.Out, "stellwerk 1.1\ncommit 0123456789ab, 2026-01-02T03:04:05Z\nbuilt with go")

	b.Build.Modified = true
	b.Run(t, shell.ExitOK, "version")
	b.Said(t, b.Out, "commit 0123456789ab with changes, 2026-01-02T03:04:05Z\n")
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "version", "--json")
	var got map[string]any
	if err := json.Unmarshal(b.Out.B.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["commit"] != b.Build.Commit || got["date"] != b.Build.Date || got["modified"] != true || got["version"] != "1.1" {
		t.Errorf("%v", got)
	}
}
