package claude_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/agent/claude"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/scriptedmodel"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// These tests run the real Claude Code program against a scripted model. The
// program gets an empty home, a made-up key, a loopback address and no variable
// of the surrounding environment but those named here.

// TestMain lets the test program be its own keeper, as the stellwerk program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "worker" && os.Args[2] == "keep" {
		os.Exit(hook.Keep(os.Args[4:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// attempt is one run of the real program.
type attempt struct {
	job     agent.Job
	model   *scriptedmodel.Server
	records []agent.Record
	outcome agent.Outcome
	stderr  string
	// settings are the program's own beside those of the adapter, as an employer sets them.
	settings string
}

// program finds the real Claude Code or skips the test.
func program(t *testing.T) string {
	t.Helper()
	return tooltest.Need(t, tooltest.Claude)
}

// prepare makes the folders of an attempt whose model plays scenario.
func prepare(t *testing.T, scenario, prompt string) *attempt {
	t.Helper()
	binary := program(t)
	parsed, err := scriptedmodel.Parse("scenario.yaml", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{model: scriptedmodel.New(parsed)}
	server := httptest.NewServer(a.model)
	t.Cleanup(server.Close)

	root := t.TempDir()
	folder := func(name string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a.job = agent.Job{
		Dir: folder("work"), In: folder("in"), Out: folder("out"), Home: folder("home"),
		Prompt: filepath.Join(root, "prompt.md"),
		Options: map[string]string{
			agent.OptionBinary: binary, agent.OptionBaseURL: server.URL, claude.OptionMaxRetries: "0",
		},
	}
	a.write(t, a.job.Prompt, prompt)
	return a
}

func (a *attempt) write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run starts the program as the adapter says and reads its output to the end.
func (a *attempt) run(t *testing.T) {
	t.Helper()
	launch, err := claude.Agent{}.Launch(a.job)
	if err != nil {
		t.Fatal(err)
	}
	if a.settings != "" {
		launch.Argv = append(launch.Argv, "--settings", a.settings)
	}
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	command := exec.CommandContext(ctx, launch.Argv[0], launch.Argv[1:]...)
	command.Dir = a.job.Dir
	command.Env = append([]string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "ANTHROPIC_API_KEY=made-up-key",
		"STELLWERK_OUT=" + a.job.Out,
	}, launch.Env...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	stdin, err := os.Open(launch.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = stdin, &stdout, &stderr

	err = command.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	a.stderr = stderr.String()
	reader := claude.Agent{}.Reader()
	lines := bufio.NewScanner(&stdout)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		a.records = append(a.records, reader.Line(lines.Bytes())...)
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
	a.outcome = reader.Close(command.ProcessState.ExitCode())
	if t.Failed() || testing.Verbose() {
		t.Logf("outcome %+v\nstderr %s", a.outcome, a.stderr)
	}
}

func (a *attempt) count(kind agent.RecordKind) int {
	n := 0
	for _, record := range a.records {
		if record.Kind == kind {
			n++
		}
	}
	return n
}

// TestRealClaudeStartsNamedServers: of the MCP servers only the one that was named
// for the attempt is started.
func TestRealClaudeStartsNamedServers(t *testing.T) {
	t.Parallel()
	a := prepare(t, "conversations: [{name: worker, turns: [{text: Done.}]}]\n", "# Task\n\nLook it up.\n")
	a.write(t, filepath.Join(a.job.Dir, ".mcp.json"), `{"mcpServers":{"x":{"command":"touch","args":["repository-ran"]}}}`)
	file := filepath.Join(filepath.Dir(a.job.Prompt), "mcp.json")
	a.write(t, file, `{"mcpServers":{"docs":{"command":"touch","args":["`+a.job.Dir+`/named-ran"]}}}`)
	a.job.Options[agent.OptionMCP], a.job.Options[agent.OptionMCPServers] = file, "docs"
	a.run(t)
	if !a.outcome.OK {
		t.Errorf("outcome %+v", a.outcome)
	}
	if _, err := os.Stat(filepath.Join(a.job.Dir, "named-ran")); err != nil {
		t.Errorf("the server that was named did not start: %v", err)
	}
	if _, err := os.Stat(filepath.Join(a.job.Dir, "repository-ran")); err == nil {
		t.Error("the repository's server started")
	}
}

func TestRealClaudeDoesTheWork(t *testing.T) {
	t.Parallel()
	a := prepare(t, `
conversations:
  - name: worker
    prompt: "Write (?P<file>\\S+) please"
    system: "You are the tester of this house"
    turns:
      - text: I write the file.
        tool: {name: Write, input: {file_path: "{{cwd}}/{{file}}", content: "hello\n"}}
      - expect: "created successfully"
        tool: {name: Bash, input: {command: "cat {{file}} > $STELLWERK_OUT/copy.md && echo copied"}}
      - expect: copied
        text: Done.
        usage: {input: 50, output: 9, cache_read: 3000, cache_write: 40}
`, "# Task\n\nWrite hello.txt please.\n"+strings.Repeat("A long prompt. ", 30_000))
	role := filepath.Join(filepath.Dir(a.job.Prompt), "role.md")
	a.write(t, role, "You are the tester of this house.\n")
	a.job.Role = agent.Role{Name: "tester", SystemPrompt: role, Model: "sonnet", Tools: []string{"Write", "Bash", "Read"}, DisallowedTools: []string{"Read"}}
	// What a repository may bring along: instructions are followed, commands
	// of its own making are not.
	a.write(t, filepath.Join(a.job.Dir, "CLAUDE.md"), "Use tabs in this repository.\n")
	a.write(t, filepath.Join(a.job.Dir, ".claude/settings.json"),
		`{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"touch hook-ran"}]}]}}`)
	a.write(t, filepath.Join(a.job.Dir, ".mcp.json"), `{"mcpServers":{"x":{"command":"touch","args":["mcp-ran"]}}}`)
	a.run(t)

	if !a.outcome.OK || a.outcome.Summary != "Done." || a.outcome.Turns != 3 {
		t.Errorf("outcome %+v", a.outcome)
	}
	for _, path := range []string{filepath.Join(a.job.Dir, "hello.txt"), filepath.Join(a.job.Out, "copy.md")} {
		if content, err := os.ReadFile(path); err != nil || string(content) != "hello\n" {
			t.Errorf("%s holds %q: %v", path, content, err)
		}
	}
	for _, trace := range []string{"hook-ran", "mcp-ran"} {
		if _, err := os.Stat(filepath.Join(a.job.Dir, trace)); err == nil {
			t.Errorf("%s: the repository's own settings were obeyed", trace)
		}
	}
	usage := a.outcome.Usage
	if usage.InputTokens != 250 || usage.OutputTokens != 49 || usage.CacheReadTokens != 3000 || usage.CacheWriteTokens != 40 {
		t.Errorf("usage %+v", usage)
	}
	if a.outcome.CostUSD <= 0 || len(usage.Model) != 1 {
		t.Errorf("cost %v, models %v", a.outcome.CostUSD, usage.Model)
	}
	if calls, results := a.count(agent.KindToolCall), a.count(agent.KindToolResult); calls != 2 || results != 2 {
		t.Errorf("%d tool calls and %d results, want 2 of each", calls, results)
	}
	first := a.model.Requests()[0]
	if !slices.Contains(first.Tools, "Bash") || !slices.Contains(first.Tools, "Write") ||
		slices.Contains(first.Tools, "Read") || slices.Contains(first.Tools, "Edit") ||
		!strings.Contains(first.Model, "sonnet") {
		t.Errorf("the model %s was offered %v", first.Model, first.Tools)
	}
	if !strings.Contains(first.System+first.Prompt, "Use tabs in this repository") {
		t.Error("the repository's CLAUDE.md was not read")
	}
}

// TestRealClaudeWorksWithoutBypass: with a setting that forbids the program to bypass
// its permissions, work is done all the same where the tools are allowed by name, and
// none where it is asked to bypass them.
func TestRealClaudeWorksWithoutBypass(t *testing.T) {
	t.Parallel()
	const scenario = `
conversations:
  - prompt: "Write it"
    turns:
      - tool: {name: Write, input: {file_path: "{{cwd}}/hello.txt", content: "hello\n"}}
      - tool: {name: Bash, input: {command: "cat hello.txt > $STELLWERK_OUT/copy.md; echo over"}}
      - text: Done.
`
	for name, test := range map[string]struct {
		mode  string
		tools []string
		works bool
	}{
		"the tools of a role": {"dontAsk", []string{"Write", "Bash"}, true},
		"no list of tools":    {"dontAsk", nil, true},
		"bypassing":           {"", []string{"Write", "Bash"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := prepare(t, scenario, "Write it.\n")
			a.settings = `{"permissions":{"disableBypassPermissionsMode":"disable"}}`
			a.job.Options[claude.OptionPermissionMode], a.job.Role.Tools = test.mode, test.tools
			a.run(t)
			content, err := os.ReadFile(filepath.Join(a.job.Out, "copy.md"))
			if works := err == nil && string(content) == "hello\n"; works != test.works {
				t.Errorf("it holds %q: %v\n%s\n%+v", content, err, a.stderr, a.outcome)
			}
		})
	}
}

func TestRealClaudeLies(t *testing.T) {
	t.Parallel()
	a := prepare(t, `
conversations:
  - turns: [{text: "Done. I wrote hello.txt."}]
`, "Write hello.txt please.")
	a.run(t)
	if !a.outcome.OK || a.outcome.Summary != "Done. I wrote hello.txt." {
		t.Errorf("the claim is %+v", a.outcome)
	}
	if entries, err := os.ReadDir(a.job.Dir); err != nil || len(entries) != 0 {
		t.Errorf("the workspace holds %v: %v", entries, err)
	}
}

func TestRealClaudeFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		turn    string
		class   agent.Class
		message string
		change  func(*agent.Job)
	}{
		"server error":  {turn: "error: {status: 500, times: 9}", class: agent.ClassAPIError, message: "500"},
		"rate limit":    {turn: "error: {status: 429, type: rate_limit_error, message: slow down, times: 9}", class: agent.ClassUsageLimit, message: "slow down"},
		"wrong key":     {turn: "error: {status: 401, type: authentication_error, times: 9}", class: agent.ClassAuth, message: "authenticate"},
		"model refuses": {turn: "stop_reason: refusal", class: agent.ClassRefused, message: "safeguards"},
		"turn limit": {
			turn: "tool: {name: Bash, input: {command: ls}}", class: agent.ClassMaxTurns, message: "turns (1)",
			change: func(job *agent.Job) { job.MaxTurns = 1 },
		},
		"budget": {
			turn: "tool: {name: Bash, input: {command: ls}}", class: agent.ClassBudget, message: "budget",
			change: func(job *agent.Job) { job.MaxUSD = 0.0001 },
		},
		"unreachable": {
			turn: "text: unheard", class: agent.ClassNetwork, message: "Connection refused",
			change: func(job *agent.Job) { job.Options[agent.OptionBaseURL] = "http://127.0.0.1:1" },
		},
		"unscripted": {
			turn: "text: unheard, expect: something else", class: agent.ClassAPIError, message: "scripted model: ",
		},
		"no such flag": {
			turn: "text: unheard", class: agent.ClassCrashed, message: "exit code 1",
			change: func(job *agent.Job) { job.Options[claude.OptionPermissionMode] = "no-such-mode" },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := prepare(t, "conversations: [{turns: [{"+test.turn+"}, {"+test.turn+"}]}]", "Write hello.txt please.")
			if test.change != nil {
				test.change(&a.job)
			}
			a.run(t)
			if a.outcome.OK || a.outcome.Class != test.class || !strings.Contains(a.outcome.Message, test.message) {
				t.Errorf("outcome %+v, want class %q and %q\nstderr %s", a.outcome, test.class, test.message, a.stderr)
			}
		})
	}
}

func TestRealClaudeSeveralResults(t *testing.T) {
	t.Parallel()
	a := prepare(t, `
conversations:
  - name: subagent
    prompt: count the files
    turns: [{text: There are 3., delay: 500ms}]
  - name: main
    prompt: Write the number
    turns:
      - tool: {name: Agent, input: {description: count, prompt: count the files, subagent_type: general-purpose}}
      - text: I wait.
      - expect: There are 3
        text: All done.
`, "Write the number of files.")
	a.run(t)
	if !a.outcome.OK || a.outcome.Summary != "All done." || a.outcome.Turns != 3 {
		t.Errorf("outcome %+v", a.outcome)
	}
	if results := a.count(agent.KindResult); results != 2 {
		t.Errorf("%d result lines, want 2", results)
	}
	if a.outcome.Usage.InputTokens != 400 {
		t.Errorf("%d input tokens for four replies of 100", a.outcome.Usage.InputTokens)
	}
}

// denied are the tools whose calls the records say were denied, in their order.
func (a *attempt) denied() []string {
	tools, refused := map[string]string{}, []string{}
	for _, r := range a.records {
		if r.Kind == agent.KindToolCall {
			tools[r.ToolID] = r.Tool
		}
		if r.Kind == agent.KindToolResult && r.Denied {
			refused = append(refused, tools[r.ToolID])
		}
	}
	slices.Sort(refused)
	return refused
}

// TestRealClaudeHasNoOtherTools gives a role a list: what is not in it is offered to no model, also not of a subagent, and
// a call of it all the same is denied.
func TestRealClaudeHasNoOtherTools(t *testing.T) {
	t.Parallel()
	a := prepare(t, `
conversations:
  - name: subagent
    prompt: count the files
    turns:
      - tool: {name: Bash, input: {command: touch forbidden}}
      - text: There are 3.
  - name: main
    prompt: Try it
    turns:
      - tools:
          - {name: Bash, input: {command: touch forbidden}}
          - {name: Write, input: {file_path: "{{cwd}}/allowed", content: x}}
          - {name: Edit, input: {file_path: "{{cwd}}/absent", old_string: a, new_string: b}}
      - tool: {name: Agent, input: {description: count, prompt: count the files, subagent_type: general-purpose, run_in_background: false}}
      - text: Done.
`, "Try it.")
	a.job.Role.Tools = []string{"Write", "Agent", "Edit"}
	a.run(t)
	if _, err := os.Stat(filepath.Join(a.job.Dir, "forbidden")); err == nil {
		t.Error("a tool outside the role's list was used")
	}
	if _, err := os.Stat(filepath.Join(a.job.Dir, "allowed")); err != nil {
		t.Errorf("a tool of the role's list was withheld: %v", err)
	}
	for _, r := range a.model.Requests() {
		if slices.Contains(r.Tools, "Bash") {
			t.Errorf("a model was offered %v", r.Tools)
		}
	}
	if got := a.denied(); !slices.Equal(got, []string{"Bash", "Bash"}) { // an edit that fails is none
		t.Errorf("denied were %v", got)
	}
}

// TestRealClaudeObeysToolRules holds the shell to rules. Claude Code takes git status for harmless and would run it unasked.
func TestRealClaudeObeysToolRules(t *testing.T) {
	t.Parallel()
	a := prepare(t, `
conversations:
  - turns:
      - tools:
          - {name: Bash, input: {command: touch forbidden}}
          - {name: Write, input: {file_path: "{{cwd}}/allowed", content: x}}
          - {name: Bash, input: {command: git status}}
          - {name: Bash, input: {command: git log --oneline}}
      - text: Done.
`, "Try all.")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a.job.Options[agent.OptionSelf] = self
	a.job.Role.Tools = []string{"Write", "Bash(git log *)"}
	a.run(t)
	if _, err := os.Stat(filepath.Join(a.job.Dir, "forbidden")); err == nil {
		t.Error("a command outside the rules was run")
	}
	if _, err := os.Stat(filepath.Join(a.job.Dir, "allowed")); err != nil {
		t.Errorf("an allowed tool was denied: %v", err)
	}
	if got := a.denied(); !slices.Equal(got, []string{"Bash", "Bash"}) { // git log was run, and failed
		t.Errorf("denied were %v", got)
	}
}
