package scripted

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// TestMain lets the test program be its own player, as the stellwerk program is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == Command {
		os.Exit(Run(context.Background(), os.Args[2], os.Getenv, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// attempt is one play in a process of its own.
type attempt struct {
	job     agent.Job
	command *exec.Cmd
	stdout  bytes.Buffer
	stderr  bytes.Buffer
	records []agent.Record
	outcome agent.Outcome
}

func prepare(t *testing.T, scenario string) *attempt {
	t.Helper()
	root := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{job: agent.Job{
		Dir: filepath.Join(root, "work"), In: filepath.Join(root, "in"), Out: filepath.Join(root, "out"),
		Home: filepath.Join(root, "home"), Prompt: filepath.Join(root, "prompt.md"),
		Role: agent.Role{Name: "developer"},
		Options: map[string]string{
			agent.OptionSelf: self, agent.OptionScenario: filepath.Join(root, "scenario.yaml"),
			agent.OptionTask: "backend", agent.OptionRound: "1", agent.OptionAttempt: "1",
		},
	}}
	for _, folder := range []string{a.job.Dir, a.job.In, a.job.Out, a.job.Home} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range map[string]string{
		a.job.Options[agent.OptionScenario]: scenario, a.job.Prompt: "Do it.\nThe check said: hello.txt is missing.\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func (a *attempt) start(t *testing.T) {
	t.Helper()
	launch, err := Agent{}.Launch(a.job)
	if err != nil {
		t.Fatal(err)
	}
	a.command = exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	a.command.Dir = a.job.Dir
	// A player built with the race detector would linger for a second.
	a.command.Env = slices.Concat(launch.Env, []string{"PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org"})
	a.command.Stderr = &a.stderr
}

func (a *attempt) run(t *testing.T) int {
	t.Helper()
	a.start(t)
	a.command.Stdout = &a.stdout
	err := a.command.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	code := a.command.ProcessState.ExitCode()
	if status, ok := a.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	reader := Agent{}.Reader()
	lines := bufio.NewScanner(&a.stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		a.records = append(a.records, reader.Line(lines.Bytes())...)
	}
	a.outcome = reader.Close(code)
	return code
}

// do is a scenario whose only part takes these steps.
func do(steps ...string) string {
	return "attempts:\n  - do:\n      - " + strings.Join(steps, "\n      - ") + "\n"
}

func (a *attempt) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (a *attempt) git(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", args...)
	command.Dir = a.job.Dir
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, output)
	}
	return strings.TrimSpace(string(output))
}

// TestAComplaintIsNotWhatWasMissing: the prompt of a retry quotes what the last
// attempt did not find, and that does not make it found.
func TestAComplaintIsNotWhatWasMissing(t *testing.T) {
	for prompt, want := range map[string]int{
		"Do it.\nIt ended: the prompt does not contain \"plan.md\"\n":           3,
		"Read plan.md.\nIt ended: the prompt does not contain \"plan.md\"\n":    0,
		"Do it.\nIt ended: the prompt does not contain \"plan.md\", plan.md.\n": 0,
	} {
		a := prepare(t, do("expect_prompt: plan.md"))
		if err := os.WriteFile(a.job.Prompt, []byte(prompt), 0o600); err != nil {
			t.Fatal(err)
		}
		if code := a.run(t); code != want {
			t.Errorf("%q: exit code %d, want %d", prompt, code, want)
		}
	}
}

func TestAnHonestPlay(t *testing.T) {
	a := prepare(t, do(
		`say: I begin.`,
		`expect_prompt: "hello.txt is missing"`,
		`read_in: plan.md`,
		`write: {path: sub/hello.txt, content: "hello\n"}`,
		`append: {path: sub/hello.txt, content: "again\n"}`,
		`write: {path: old.txt, content: x}`,
		`delete: old.txt`,
		`write: {path: "out:backend.md", content: "# Backend\n"}`,
		`commit: add the greeting`,
		`run: "test -f sub/hello.txt && echo checked"`,
		`try: exit 9`,
		`try_push: {ref: "HEAD:refs/heads/main"}`,
		`usage: {input: 100, output: 10, cost_usd: 0.25}`,
		`usage: {model: small, input: 5, cache_read: 7, cache_write: 8}`,
		`sleep: 1ms`,
		`report: {status: completed, context: {tests: {passed: true}}}`,
		`ask: "Which colour?"`,
		`ask: "Which size?"`,
	))
	a.git(t, "init", "--quiet")
	if err := os.WriteFile(filepath.Join(a.job.In, "plan.md"), []byte("plan"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := a.run(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, a.stderr.String())
	}
	if got := a.read(t, filepath.Join(a.job.Dir, "sub/hello.txt")); got != "hello\nagain\n" {
		t.Errorf("hello.txt holds %q", got)
	}
	if got := a.git(t, "log", "--format=%s", "--name-only"); got != "add the greeting\n\nsub/hello.txt" {
		t.Errorf("the commit is %q", got)
	}
	if got := a.read(t, filepath.Join(a.job.Out, "backend.md")); got != "# Backend\n" {
		t.Errorf("backend.md holds %q", got)
	}
	report := a.read(t, filepath.Join(a.job.Out, "report.json"))
	for _, want := range []string{`"status": "completed"`, `"passed": true`, `"Which colour?"`, `"Which size?"`, `"blocking_questions"`} {
		if !strings.Contains(report, want) {
			t.Errorf("report.json lacks %s: %s", want, report)
		}
	}
	want := agent.Outcome{
		OK: true, Summary: "Done.", Turns: 13, CostUSD: 0.25, Observed: true,
		Usage: agent.Usage{
			ModelUsage: agent.ModelUsage{InputTokens: 105, OutputTokens: 10, CacheReadTokens: 7, CacheWriteTokens: 8, CostUSD: 0.25},
			Model: map[string]agent.ModelUsage{
				"scripted": {InputTokens: 100, OutputTokens: 10, CostUSD: 0.25},
				"small":    {InputTokens: 5, CacheReadTokens: 7, CacheWriteTokens: 8},
			},
		},
	}
	if diff := cmp.Diff(want, a.outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	var texts, failed []string
	for _, record := range a.records {
		if record.Kind == agent.KindText {
			texts = append(texts, record.Text)
		}
		if record.Kind == agent.KindToolResult && record.Error {
			failed = append(failed, record.ToolID)
		}
	}
	if diff := cmp.Diff([]string{"I begin.", "The push failed."}, texts); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"call-9", "call-10"}, failed); diff != "" {
		t.Errorf("failed calls (-want +got):\n%s", diff)
	}
}

func TestEndings(t *testing.T) {
	for name, test := range map[string]struct {
		steps []string
		code  int
		want  agent.Outcome
	}{
		"lie":         {[]string{"lie: Done."}, 0, agent.Outcome{OK: true, Summary: "Done."}},
		"exit code":   {[]string{"crash: 7"}, 7, agent.Outcome{Class: agent.ClassCrashed, Message: "the scripted agent ended with exit code 7"}},
		"silent exit": {[]string{"crash: 0"}, 0, agent.Outcome{Class: agent.ClassProtocol, Message: "the scripted agent ended without a result"}},
		"signal":      {[]string{"crash: KILL"}, 137, agent.Outcome{Class: agent.ClassCrashed, Message: "the scripted agent was ended by signal 9"}},
		"caught signal": {
			[]string{"crash: SIGTERM"}, 143, agent.Outcome{Class: agent.ClassCrashed, Message: "the scripted agent was ended by signal 15"},
		},
		"refusal": {[]string{"fail: {class: refused, message: no}"}, 1, agent.Outcome{Class: agent.ClassRefused, Message: "no", Summary: "no"}},
		"plain failure": {
			[]string{"fail: {message: lost}"}, 1, agent.Outcome{Class: agent.ClassCrashed, Message: "lost", Summary: "lost"},
		},
		"missing evidence": {
			[]string{"expect_prompt: something else"}, 3,
			agent.Outcome{Class: agent.ClassProtocol, Message: `the prompt does not contain "something else"`},
		},
		"missing input": {
			[]string{"read_in: plan.md"}, 3, agent.Outcome{Class: agent.ClassProtocol, Message: "the input artifact plan.md cannot be read", Turns: 1},
		},
		"failing command": {[]string{"run: exit 5"}, 1, agent.Outcome{Class: agent.ClassCrashed, Message: "running sh: exit status 5", Turns: 1}},
		"unwritable file": {
			[]string{"write: {path: /dev/null/x, content: x}"}, 1, agent.Outcome{Class: agent.ClassCrashed, Message: "not a directory", Turns: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := prepare(t, do(test.steps...))
			if code := a.run(t); code != test.code {
				t.Errorf("exit code %d, want %d; stderr %s", code, test.code, a.stderr.String())
			}
			if !strings.Contains(a.outcome.Message, test.want.Message) {
				t.Errorf("message %q, want %q", a.outcome.Message, test.want.Message)
			}
			if test.want.Summary == "" {
				test.want.Summary = a.outcome.Summary
			}
			test.want.Observed = true
			if diff := cmp.Diff(test.want, a.outcome, cmpopts.IgnoreFields(agent.Outcome{}, "Message")); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailureTellsWhenToRetry(t *testing.T) {
	a := prepare(t, do("fail: {class: usage_limit, message: used up, retry_in: 1h}"))
	before := time.Now()
	a.run(t)
	if a.outcome.Class != agent.ClassUsageLimit || a.outcome.RetryAt == nil {
		t.Fatalf("outcome %+v", a.outcome)
	}
	if wait := a.outcome.RetryAt.Sub(before); wait < 59*time.Minute || wait > 61*time.Minute {
		t.Errorf("retry in %v", wait)
	}
}

func TestPartsAreChosenByConditions(t *testing.T) {
	const scenario = `
attempts:
  - {task: backend, round: 1, attempt: 1, do: [{lie: first}]}
  - {task: backend, round: 2, do: [{lie: second round}]}
  - {task: backend, do: [{lie: another attempt}]}
  - {role: reviewer, do: [{lie: by role}]}
`
	for _, test := range []struct{ task, role, round, attempt, want string }{
		{"backend", "developer", "1", "1", "first"},
		{"backend", "developer", "1", "2", "another attempt"},
		{"backend", "developer", "2", "1", "second round"},
		{"review", "reviewer", "3", "2", "by role"},
	} {
		a := prepare(t, scenario)
		a.job.Role.Name = test.role
		a.job.Options[agent.OptionTask], a.job.Options[agent.OptionRound] = test.task, test.round
		a.job.Options[agent.OptionAttempt] = test.attempt
		a.run(t)
		if a.outcome.Summary != test.want {
			t.Errorf("%+v played %q", test, a.outcome.Summary)
		}
	}
	a := prepare(t, scenario)
	a.job.Options[agent.OptionTask] = "frontend"
	if code := a.run(t); code != 3 || !strings.Contains(a.stderr.String(), `no part for task "frontend"`) {
		t.Errorf("exit code %d: %s", code, a.stderr.String())
	}
	a = prepare(t, scenario)
	a.job.Options[agent.OptionAttempt] = "first"
	if code := a.run(t); code != 3 || !strings.Contains(a.stderr.String(), "number of the attempt") {
		t.Errorf("exit code %d: %s", code, a.stderr.String())
	}
}

func TestFlood(t *testing.T) {
	a := prepare(t, do("flood: {bytes: 100_000, to: stderr, line: 1000}", "flood: {bytes: 5000, line: 100}"))
	a.run(t)
	if a.stderr.Len() != 100_000 || bytes.Count(a.stderr.Bytes(), []byte("\n")) != 100 {
		t.Errorf("%d bytes in %d lines", a.stderr.Len(), bytes.Count(a.stderr.Bytes(), []byte("\n")))
	}
	raw := 0
	for _, record := range a.records {
		if record.Kind == agent.KindRaw {
			raw++
		}
	}
	if raw != 50 || !a.outcome.OK {
		t.Errorf("%d raw lines, outcome %+v", raw, a.outcome)
	}
}

func TestLaunchNeedsProgramAndScenario(t *testing.T) {
	if _, err := (Agent{}).Launch(agent.Job{}); !errors.Is(err, ErrIncomplete) {
		t.Errorf("got %v", err)
	}
}
