package scripted

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// TestToolSteps plays calls that succeed and calls that are refused, as expected
// or not. The tool says no to `no`.
func TestToolSteps(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\ntest \"$1\" = no && { echo 'refused: ask first' >&2; exit 1; }\nprintf '%s|' \"$@\" >>called\n"
	if err := os.WriteFile(filepath.Join(dir, "send-message"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for name, c := range map[string]struct {
		step   string
		code   int
		called string
	}{
		"succeeds":             {`tool: [send-message, "two words", $HOME]`, 0, "two words|$HOME|"},
		"is refused":           {`tool: {call: [send-message, "no"], refused: ask first}`, 0, ""},
		"fails":                {`tool: [send-message, "no"]`, exitFailed, ""},
		"is not refused":       {`tool: {call: [send-message, "yes"], refused: ask first}`, exitUnexpected, "yes|"},
		"is refused otherwise": {`tool: {call: [send-message, "no"], refused: never}`, exitUnexpected, ""},
		"is missing":           {`tool: [send-nothing]`, exitFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := prepare(t, do(c.step))
			if code := a.run(t); code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, &a.stderr)
			}
			called, err := os.ReadFile(filepath.Join(a.job.Dir, "called"))
			if err != nil && !os.IsNotExist(err) || string(called) != c.called {
				t.Errorf("called with %q, want %q (%v)", called, c.called, err)
			}
			if len(a.records) < 2 || !strings.Contains(string(a.records[0].Input), "send-") {
				t.Errorf("the call is not in the records: %+v", a.records)
			}
		})
	}
}

// TestStepsAreHeldToTheRolesTools denies what the list does not allow, and goes on where the step may fail.
func TestStepsAreHeldToTheRolesTools(t *testing.T) {
	a := prepare(t, `
attempts:
  - do:
      - try: touch forbidden
      - try: git status && touch forbidden
      - try: git --version
      - write: {path: allowed, content: x}
`)
	a.job.Role.Tools = []string{"Write", "Bash(git *)"}
	a.run(t)
	if !a.outcome.OK {
		t.Errorf("outcome %+v", a.outcome)
	}
	var denied []bool
	for _, r := range a.records {
		if r.Kind == agent.KindToolResult {
			denied = append(denied, r.Denied)
		}
	}
	if !slices.Equal(denied, []bool{true, true, false, false}) {
		t.Errorf("denied were %v", denied)
	}
	if _, err := os.Stat(filepath.Join(a.job.Dir, "forbidden")); err == nil {
		t.Error("a denied step was played")
	}

	must := prepare(t, "attempts: [{do: [{write: {path: forbidden, content: x}}]}]")
	must.job.Role.Tools = []string{"Read"}
	must.run(t)
	if must.outcome.OK || !strings.Contains(must.outcome.Message, "Write was denied") {
		t.Errorf("outcome %+v", must.outcome)
	}
}
