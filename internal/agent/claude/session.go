package claude

import (
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Session is the adapter of an agent that runs inside a person's own session of
// Claude Code, as a subagent. The process it launches only waits for that agent
// to end, and then hands over what the session wrote down of it.
type Session struct{}

var _ agent.Agent = Session{}

// Name implements agent.Agent.
func (Session) Name() string { return agent.Session }

// Launch implements agent.Agent.
func (Session) Launch(job agent.Job) (agent.Launch, error) {
	self, turn := job.Options[agent.OptionSelf], job.Options[agent.OptionTurn]
	if self == "" || turn == "" {
		return agent.Launch{}, errors.New("a session's agent needs the program and the folder that report its end")
	}
	return agent.Launch{Argv: []string{self, "worker", "await", turn}, ReadOnly: []string{self, turn}}, nil
}

// Reader implements agent.Agent.
func (Session) Reader() agent.Reader { return newReader() }
