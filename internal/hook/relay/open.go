package relay

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

// maxOpen is how many runs a session is told of.
const maxOpen = 3

// opened is what a session that carries no run is told of those that are open.
type opened struct {
	Runs []api.Run
	More int
}

// open tells a session that begins, and carries no run, which runs of its repository
// are open: the person, who may take one up, and the model, so that it knows what they
// speak of. It changes nothing and asks no engine.
func (c call) open() (reply, error) {
	if c.in.Source == compacted || c.Open == nil {
		return reply{}, nil
	}
	runs := c.Open(c.in.Dir)
	if len(runs) == 0 {
		return reply{}, nil
	}
	told := opened{Runs: runs[:min(len(runs), maxOpen)], More: max(len(runs)-maxOpen, 0)}
	message, err := render("open", told)
	if err != nil {
		return reply{}, err
	}
	text, err := render("open_context", told)
	answer := hook.Context(hook.EventSessionStart, text)
	answer.Message = message
	return reply{Answer: answer}, err
}
