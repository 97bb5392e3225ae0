package command

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// run starts the launch as it is described and reads its output.
func run(t *testing.T, job agent.Job) ([]agent.Record, agent.Outcome) {
	t.Helper()
	launch, err := Agent{}.Launch(job)
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(launch.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	command := exec.CommandContext(t.Context(), launch.Argv[0], launch.Argv[1:]...)
	command.Dir, command.Env, command.Stdin = job.Dir, launch.Env, stdin
	output, err := command.Output()
	code := command.ProcessState.ExitCode()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	reader := Agent{}.Reader()
	var records []agent.Record
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		records = append(records, reader.Line(lines.Bytes())...)
	}
	return records, reader.Close(code)
}

func job(t *testing.T, argv ...string) agent.Job {
	t.Helper()
	dir := t.TempDir()
	prompt := filepath.Join(dir, "prompt.md")
	if err := os.WriteFile(prompt, []byte("the task\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return agent.Job{Dir: dir, Prompt: prompt, Home: dir, Command: argv}
}

func TestCommandReadsThePromptAndClaimsSuccess(t *testing.T) {
	j := job(t, "/bin/sh", "-c", `cat; echo "$HOME"; echo finished`)
	records, outcome := run(t, j)
	want := []agent.Record{
		{Kind: agent.KindText, Text: "the task"},
		{Kind: agent.KindText, Text: j.Home},
		{Kind: agent.KindText, Text: "finished"},
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(agent.Outcome{OK: true, Summary: "finished"}, outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

func TestCommandFailure(t *testing.T) {
	_, outcome := run(t, job(t, "/bin/sh", "-c", "echo oh no; exit 7"))
	want := agent.Outcome{Class: agent.ClassCrashed, Message: "the command ended with exit code 7", Summary: "oh no"}
	if diff := cmp.Diff(want, outcome); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	killed := Agent{}.Reader().Close(137)
	if killed.OK || killed.Message != "the command was ended by signal 9" {
		t.Errorf("killed: %+v", killed)
	}
}

func TestCommandOutputThatIsNotText(t *testing.T) {
	records := Agent{}.Reader().Line([]byte("a\xffb\r"))
	if diff := cmp.Diff([]agent.Record{{Kind: agent.KindText, Text: "a\uFFFDb"}}, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestCommandShowsItsProgramToTheSandbox(t *testing.T) {
	launch, err := Agent{}.Launch(agent.Job{Command: []string{"/opt/agent", "--fast"}, Prompt: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Launch{Argv: []string{"/opt/agent", "--fast"}, Stdin: "/p", ReadOnly: []string{"/opt/agent"}}
	if diff := cmp.Diff(want, launch); diff != "" {
		t.Errorf("launch (-want +got):\n%s", diff)
	}
}

func TestCommandNeedsACommand(t *testing.T) {
	for _, argv := range [][]string{nil, {""}} {
		if _, err := (Agent{}).Launch(agent.Job{Command: argv}); !errors.Is(err, ErrNoCommand) {
			t.Errorf("%q gave %v", argv, err)
		}
	}
}

// FuzzReader holds that any output can be kept, and that only the exit code says whether it went well.
func FuzzReader(f *testing.F) {
	f.Add([]byte("done\r"), 0)
	f.Add([]byte("\xff\x00"), 137)
	f.Fuzz(func(t *testing.T, line []byte, exitCode int) {
		reader := Agent{}.Reader()
		for _, record := range reader.Line(line) {
			if !utf8.ValidString(record.Text) || record.Kind != agent.KindText {
				t.Errorf("%q is kept as %+v", line, record)
			}
		}
		if outcome := reader.Close(exitCode); outcome.OK != (exitCode == 0) || outcome.OK != (outcome.Class == "") {
			t.Errorf("exit code %d: %+v", exitCode, outcome)
		}
	})
}
