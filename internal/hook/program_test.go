package hook

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds the real hook program once per test that needs it.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stellwerk-hook")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "github.com/stellwerk-dev/stellwerk/cmd/stellwerk-hook").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

func start(t *testing.T, file, state string, stdin []byte, stdout *os.File) (string, string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env = []string{"STELLWERK_STATE=" + state}
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if stdout != nil {
		cmd.Stdout = stdout
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestTheProgram holds the real program to its exit codes: 0 only with a whole
// answer on standard output.
func TestTheProgram(t *testing.T) {
	file, s := program(t), newStage(t)
	push := event(t, map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}, "cwd": s.root})
	other := event(t, map[string]any{"session_id": "another", "tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}})

	out, errs, code := start(t, file, s.state, push, nil)
	if code != 0 || !strings.HasPrefix(out, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("a push: %d %q %q", code, out, errs)
	}
	if out, errs, code := start(t, file, s.state, other, nil); code != 0 || out != "{}\n" || errs != "" {
		t.Errorf("another session: %d %q %q", code, out, errs)
	}
	if out, _, code := start(t, file, filepath.Join(s.state, "none"), push, nil); code != 0 || out != "{}\n" {
		t.Errorf("no state folder: %d %q", code, out)
	}
	for name, stdin := range map[string][]byte{
		"nothing": nil, "garbage": []byte("\x00\x01garbage"), "half": push[:len(push)/2], "a list": []byte("[]"), "no session": []byte(`{"tool_name":"Bash"}`),
		"a session that is a path": []byte(`{"session_id":"../../x","tool_name":"Bash"}`), "two events": append(push[:len(push):len(push)], push...),
		"ambiguous":                 []byte(`{"session_id":"` + session + `","hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_name":"Bash","tool_input":{}}`),
		"two sessions":              []byte(`{"session_id":"another","session_id":"` + session + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`),
		"two spellings of sessions": []byte(`{"session_id":"another","Session_ID":"` + session + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`),
		"too much":                  append([]byte(`{"session_id":"`), bytes.Repeat([]byte("x"), maxInput)...),
	} {
		if out, errs, code := start(t, file, s.state, stdin, nil); code != ExitUndecided || out != "" || errs == "" {
			t.Errorf("%s: %d %q %q", name, code, out, errs)
		}
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no /dev/full here: %v", err)
	}
	defer func() { _ = full.Close() }()
	if _, errs, code := start(t, file, s.state, push, full); code != ExitUndecided || errs == "" {
		t.Errorf("no room for the answer: %d %q", code, errs)
	}
}

// TestNobodyReadsTheAnswer has a client that closed the program's standard output,
// or its own end of it.
func TestNobodyReadsTheAnswer(t *testing.T) {
	file, s := program(t), newStage(t)
	event := event(t, map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}, "cwd": s.root})
	closed := exec.CommandContext(t.Context(), "/bin/sh", "-c", `exec "$0" >&-`, file)
	deserted := exec.CommandContext(t.Context(), file)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	deserted.Stdout = write
	for name, cmd := range map[string]*exec.Cmd{"closed": closed, "nobody at the other end": deserted} {
		var errs bytes.Buffer
		cmd.Env, cmd.Stdin, cmd.Stderr = []string{"STELLWERK_STATE=" + s.state}, bytes.NewReader(event), &errs
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != ExitUndecided || !strings.Contains(errs.String(), "refused") {
			t.Errorf("%s: %v %q", name, err, errs.String())
		}
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAKilledProgramIsNoAnswer ends the program while it waits for its event.
func TestAKilledProgramIsNoAnswer(t *testing.T) {
	s := newStage(t)
	cmd := exec.CommandContext(t.Context(), program(t))
	cmd.Env = []string{"STELLWERK_STATE=" + s.state}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte(`{"session_id":`)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || out.Len() > 0 {
		t.Errorf("ended with %v and said %q", err, out.String())
	}
}

// TestTheProgramStaysSmall keeps packages out of it that take time to start.
func TestTheProgramStaysSmall(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "github.com/stellwerk-dev/stellwerk/cmd/stellwerk-hook").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		switch name {
		case "net", "net/http", "log/slog", "text/template", "html/template", "os/exec", "github.com/spf13/cobra", "github.com/stellwerk-dev/stellwerk/internal/api":
			t.Errorf("it imports %s", name)
		}
	}
}

func TestAProgramThatHearsNothingRefuses(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), program(t))
	stdin, err := cmd.StdinPipe() // never closed
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }() // the program is over
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = []string{"STELLWERK_STATE=" + t.TempDir(), "STELLWERK_HOOK_DEADLINE=50ms"}
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != ExitUndecided || stdout.Len() > 0 || !strings.Contains(stderr.String(), "in time") {
		t.Errorf("%v, said %q and %q", err, stdout.String(), stderr.String())
	}
}
