// Package command runs any program as an agent: the prompt on standard input,
// the rest of the attempt contract in the environment. The program is opaque:
// its output is kept line by line as text, its tool calls and costs are
// unknown and recorded as such, and a role's list of tools cannot be told to it.
// An exit code of 0 is the program's claim to be done, nothing more.
package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// ErrNoCommand is returned for a job that names no program to run.
var ErrNoCommand = errors.New("a command agent needs a command to run; give its program and arguments under `run`")

// Agent is the adapter.
type Agent struct{}

var _ agent.Agent = Agent{}

// Name is how playbooks call this agent.
func (Agent) Name() string { return agent.Command }

// Launch runs the job's own command, with its private home as HOME. A program
// named by an absolute path is made visible to it; others come from PATH or the
// workspace.
func (Agent) Launch(job agent.Job) (agent.Launch, error) {
	if len(job.Command) == 0 || job.Command[0] == "" {
		return agent.Launch{}, ErrNoCommand
	}
	launch := agent.Launch{Argv: job.Command, Stdin: job.Prompt}
	if job.Home != "" {
		launch.Env = []string{"HOME=" + job.Home}
	}
	if filepath.IsAbs(job.Command[0]) {
		launch.ReadOnly = []string{job.Command[0]}
	}
	return launch, nil
}

// Reader keeps the output as it is.
func (Agent) Reader() agent.Reader { return &reader{} }

type reader struct {
	last string
}

// Line keeps one line as text.
func (r *reader) Line(line []byte) []agent.Record {
	text := strings.TrimRight(strings.ToValidUTF8(string(line), "\uFFFD"), "\r")
	if strings.TrimSpace(text) != "" {
		r.last = text
	}
	return []agent.Record{{Kind: agent.KindText, Text: text}}
}

// What shells end with where a command cannot be started.
const (
	shellNotExecutable = 126
	shellNotFound      = 127
)

// Close takes the exit code as the program's claim and its last line as the
// summary.
func (r *reader) Close(exitCode int) agent.Outcome {
	outcome := agent.Outcome{OK: exitCode == 0, Summary: r.last}
	switch {
	case exitCode == 0:
	case exitCode > 128:
		outcome.Class = agent.ClassCrashed
		outcome.Message = fmt.Sprintf("the command was ended by signal %d", exitCode-128)
	case exitCode == shellNotExecutable || exitCode == shellNotFound:
		outcome.Class = agent.ClassMissing
		outcome.Message = fmt.Sprintf("the command ended with exit code %d: a program that it needs is missing or not executable", exitCode)
	default:
		outcome.Class = agent.ClassCrashed
		outcome.Message = fmt.Sprintf("the command ended with exit code %d", exitCode)
	}
	return outcome
}
