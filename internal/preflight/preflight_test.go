package preflight

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// stage is an Input with commands that end as the test says.
func stage(ends map[string]Outcome, done ...core.Check) Input {
	return Input{
		Playbook: &core.Playbook{Name: "p", Phases: []core.Phase{{ID: "a", Done: core.Check{Kind: core.CheckAll, Of: done}}}},
		Files:    map[string]string{"ci.sh": "100644", "good.sh": "100755", "web/bin/lint": "100644"}, Trial: ended(ends), Limit: time.Minute,
		Place: Place{Path: "/usr/bin:/bin", Settings: "/home/me/.config/stellwerk/config.yaml", Getenv: func(string) string { return "" }},
		Lacks: func(string, func(string) string) string { return "" }, Handed: func(string) []string { return nil },
	}
}

type ended map[string]Outcome

func (e ended) Run(_ context.Context, command string, _ time.Duration) (Outcome, error) {
	return e[command], nil
}

func run(command string) core.Check { return core.Check{Kind: core.CheckCommand, Run: command} }

// TestWhatStops holds what is read from real programs' words: only what no attempt could bring along stops a start.
func TestWhatStops(t *testing.T) {
	tests := []struct {
		name, command string
		end           Outcome
		stops, helps  string // empty: it is noted
	}{
		{"dash", "x", Outcome{Exit: 127, Output: "sh: 1: pytest: not found\n"}, "no program pytest", "setup:"},
		{"bash", "x", Outcome{Exit: 127, Output: "bash: line 1: jest: command not found\n"}, "no program jest", NoPreflight},
		{"zsh", "x", Outcome{Exit: 127, Output: "zsh: command not found: jest\n"}, "", ""},
		{"npm", "npm run test", Outcome{Exit: 127, Output: "> x@1.0.0 test\n> jest\n\nsh: 1: jest: not found\n"}, "no program jest", ""},
		{"make", "make test", Outcome{Exit: 2, Output: "pytest\nmake: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n"}, "no program pytest", ""},
		{"env", "./x", Outcome{Exit: 127, Output: "/usr/bin/env: ‘deno’: No such file or directory\n"}, "no program deno", ""},
		{"a script to be written", "./test.sh", Outcome{Exit: 127, Output: "sh: 1: ./test.sh: not found\n"}, "", ""},
		{"a script of somebody's work without its bit", "./test.sh", Outcome{Exit: 126, Output: "sh: 1: ./test.sh: Permission denied\n"}, "", ""},
		{"a script of the base without its bit", "./ci.sh", Outcome{Exit: 126, Output: "sh: 1: ./ci.sh: Permission denied\n"}, "ci.sh has no execute bit in the commit the run starts from", "git update-index --chmod=+x ci.sh"},
		{"a script below a folder", "cd web && bin/lint", Outcome{Exit: 126, Output: "bash: line 1: bin/lint: Permission denied\n"}, "web/bin/lint has no execute bit in the commit", "chmod +x web/bin/lint"},
		{"a script whose interpreter lacks it", "./good.sh", Outcome{Exit: 126, Output: "sh: 1: ./good.sh: Permission denied\n"}, "", ""},
		{"a script of a script", "./ci.sh", Outcome{Exit: 1, Output: "./ci.sh: 3: ./ci.sh: Permission denied\n"}, "", ""},
		{"a program without its bit", "/opt/lint", Outcome{Exit: 126, Output: "sh: 1: /opt/lint: Permission denied\n"}, "/opt/lint is not executable", "chmod +x /opt/lint"},
		{"python's runner", "python3 -m pytest", Outcome{Exit: 1, Output: "/usr/bin/python3: No module named pytest\n"}, "Python has no module pytest", "pip install pytest"},
		{"a module of the code", "python3 -m pytest", Outcome{Exit: 2, Output: "E   ModuleNotFoundError: No module named 'shop'\n"}, "", ""},
		{"a failing test", "x", Outcome{Exit: 1, Output: "FAIL: TestGreeting: pytest: not found in the text\n"}, "", ""},
		{"a command that says 127", "x", Outcome{Exit: 127}, "", ""},
		{"a setup without network", "x", Outcome{Setup: true, Exit: 1, Output: "npm error code ENOTFOUND\nnpm error network request failed\n"}, "lack of network", "HTTPS_PROXY"},
		{"a setup that a list keeps from a host", "x", Outcome{Setup: true, Exit: 1, Output: "npm error code ENOTFOUND\n", Refused: []string{"r.example.com:443"}},
			"was refused connections to r.example.com:443", "network: {setup: [r.example.com:443]}"},
		{"a setup that fails", "x", Outcome{Setup: true, Exit: 1, Output: "error: lock file is out of date\n"}, "", ""},
		{"no virtual environments", "x", Outcome{Setup: true, Exit: 1, Output: "because ensurepip is not available\n"}, "virtual environments", "python3-venv"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := Run(t.Context(), stage(map[string]Outcome{test.command: test.end}, run(test.command)))
			if test.stops == "" {
				if err != nil || len(found.Red()) != 1 {
					t.Errorf("%+v, %v", found, err)
				}
				return
			}
			if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), test.stops) || !strings.Contains(wording.Hint(err), test.helps) {
				t.Errorf("%v (%s)", err, wording.Hint(err))
			}
		})
	}
}

// TestPythonByItsOtherName: most systems have only python3.
func TestPythonByItsOtherName(t *testing.T) {
	in := stage(map[string]Outcome{"python -m pytest": {Exit: 127, Output: "sh: 1: python: not found\n"}}, run("python -m pytest"))
	in.Place.Path = t.TempDir()
	if _, err := Run(t.Context(), in); err == nil || strings.Contains(err.Error()+wording.Hint(err), "python3") {
		t.Errorf("without any: %v (%s)", err, wording.Hint(err))
	}
	if err := os.WriteFile(filepath.Join(in.Place.Path, "python3"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), in)
	if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "no program python") || !strings.HasPrefix(wording.Hint(err), "write python3") {
		t.Errorf("%v (%s)", err, wording.Hint(err))
	}
	in.Detected = "uv sync"
	if _, err := Run(t.Context(), in); !strings.Contains(wording.Hint(err), "`setup: uv sync`; or write python3") {
		t.Errorf("the setup that was found comes first: %v (%s)", err, wording.Hint(err))
	}
}

// TestWhatIsTried: what must fail is not tried, nor what is known, and what another check can replace stops nothing.
func TestWhatIsTried(t *testing.T) {
	missing := Outcome{Exit: 127, Output: "sh: 1: gone: not found\n"}
	in := stage(map[string]Outcome{"either": missing, "not": missing}, run("true"), run("once"), run("once"),
		core.Check{Kind: core.CheckNot, Of: []core.Check{run("not")}}, core.Check{Kind: core.CheckAny, Of: []core.Check{run("either")}})
	var told []string
	in.Tell = func(what string) { told = append(told, what) }
	found, err := Run(t.Context(), in)
	if err != nil || len(found.Checks) != 2 || !found.Checks[0].Passed || len(found.Red()) != 1 || found.Red()[0].Check != "command: either" {
		t.Errorf("%+v, %v", found, err)
	}
	if len(told) != 2 || !strings.Contains(told[0], "once") {
		t.Errorf("told %q", told)
	}
}

// TestPhasesThatMayNotRun: what is skipped is not tried, and a condition that only the run can tell stops no start.
func TestPhasesThatMayNotRun(t *testing.T) {
	missing := Outcome{Exit: 127, Output: "sh: 1: gone: not found\n"}
	in := stage(map[string]Outcome{"skipped": missing, "maybe": missing, "both": missing})
	in.Playbook.Phases = []core.Phase{
		{ID: "a", Skip: true, Done: run("skipped")}, {ID: "b", When: ".issue", Done: run("maybe")}, {ID: "c", When: ".issue", Done: run("both")},
	}
	found, err := Run(t.Context(), in)
	if err != nil || len(found.Checks) != 2 || found.Checks[0].Check != "command: maybe" {
		t.Errorf("%+v, %v", found, err)
	}
	in.Playbook.Phases = append(in.Playbook.Phases, core.Phase{ID: "d", Done: run("both")})
	if _, err = Run(t.Context(), in); err == nil || !strings.Contains(err.Error(), "`both`") || strings.Contains(err.Error(), "maybe") {
		t.Errorf("%v", err)
	}
}

type hangs struct{}

func (hangs) Run(ctx context.Context, _ string, _ time.Duration) (Outcome, error) {
	<-ctx.Done()
	return Outcome{}, ctx.Err()
}

func TestTimeIsUp(t *testing.T) {
	in := stage(nil, run("a"), run("b"))
	in.Trial, in.Limit = hangs{}, time.Millisecond
	found, err := Run(t.Context(), in)
	if err != nil || len(found.Checks) != 2 || found.Checks[1].Untold == "" || len(found.Red()) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in.Limit = time.Minute
	if _, err := Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up waiting is told %v", err)
	}
}

// TestTheLimitHoldsForEverything: reading what an agent runs and asking tools for their versions take time, too.
func TestTheLimitHoldsForEverything(t *testing.T) {
	dir := t.TempDir()
	for folder, text := range map[string]string{"mine": "echo v2", "theirs": "exec sleep 1000"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "node"), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	in := stage(map[string]Outcome{}, run("node test.js"))
	in.Place.Isolated, in.Place.Path, in.Place.ReadOnly = true, dir+"/mine:"+dir+"/theirs:/usr/bin:/bin", []string{dir + "/theirs"}
	in.Agents, in.Files = map[string]core.Agent{"a": {Use: "command", Run: []string{"./tool"}}}, map[string]string{"tool": modeExecutable}
	in.Head = func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	in.Trial, in.Limit = hangs{}, 100*time.Millisecond
	found, err := Run(t.Context(), in)
	if err != nil || len(found.Tools) != 0 || len(found.Checks) != 1 || found.Checks[0].Untold == "" {
		t.Errorf("%+v, %v", found, err)
	}
}
