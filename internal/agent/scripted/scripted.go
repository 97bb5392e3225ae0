// Package scripted is an agent that plays a scenario file instead of asking a
// model: it writes, commits, lies, crashes, hangs and floods on cue, so that
// everything around an agent can be tested with real processes. It has two
// halves: the adapter, which starts the stellwerk program itself as the player
// and reads its records, and the player. It decides nothing and takes no
// shortcut into the engine: like any agent it has only its workspace, its
// artifact folders and its output.
package scripted

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Command is the hidden command of the stellwerk program that plays a scenario.
const Command = "scripted-agent"

// ErrIncomplete is returned for a job without the program or the scenario.
var ErrIncomplete = errors.New("a scripted agent needs the options self and scenario")

// Variables by which the player learns its part. Task, round and attempt fall
// back to STELLWERK_TASK, 1 and STELLWERK_ATTEMPT.
const (
	envRole    = "STELLWERK_SCRIPTED_ROLE"
	envTask    = "STELLWERK_SCRIPTED_TASK"
	envRound   = "STELLWERK_SCRIPTED_ROUND"
	envAttempt = "STELLWERK_SCRIPTED_ATTEMPT"
	// envTools is the role's list of tools, one a line.
	envTools = "STELLWERK_SCRIPTED_TOOLS"
)

// Agent is the adapter.
type Agent struct{}

var _ agent.Agent = Agent{}

// Name is how playbooks call this agent.
func (Agent) Name() string { return "scripted" }

// Launch starts the stellwerk program as the player of the job's scenario.
func (Agent) Launch(job agent.Job) (agent.Launch, error) {
	self, scenario := job.Options[agent.OptionSelf], job.Options[agent.OptionScenario]
	if self == "" || scenario == "" {
		return agent.Launch{}, fmt.Errorf("launching role %q: %w", job.Role.Name, ErrIncomplete)
	}
	env := []string{
		"STELLWERK_PROMPT=" + job.Prompt,
		"STELLWERK_IN=" + job.In,
		"STELLWERK_OUT=" + job.Out,
		envRole + "=" + job.Role.Name,
	}
	for _, pair := range [][2]string{
		{envTask, agent.OptionTask}, {envRound, agent.OptionRound}, {envAttempt, agent.OptionAttempt},
	} {
		if value := job.Options[pair[1]]; value != "" {
			env = append(env, pair[0]+"="+value)
		}
	}
	if len(job.Role.Tools) > 0 {
		env = append(env, envTools+"="+strings.Join(job.Role.Tools, "\n"))
	}
	if job.Home != "" {
		env = append(env, "HOME="+job.Home)
	}
	return agent.Launch{
		Argv:     []string{self, Command, scenario},
		Env:      env,
		Stdin:    job.Prompt,
		ReadOnly: []string{self, scenario},
	}, nil
}

// Reader reads the player's records.
func (Agent) Reader() agent.Reader { return &reader{} }
