package relay

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// agentPrefix begins the names of the worktrees that the client asks for on
// behalf of an agent.
const agentPrefix = "agent-"

// lease hands out the workspace of an agent that is about to start.
func (c call) lease(ctx context.Context) (reply, error) {
	agent, ok := strings.CutPrefix(c.in.Name, agentPrefix)
	if !ok {
		return c.createWorktree(ctx)
	}
	leased, err := ask(ctx, c, func(svc api.Sessions) (api.Leased, error) {
		return svc.Lease(ctx, c.in.Session, api.Lease{Agent: agent})
	})
	return reply{text: leased.Dir}, err
}

// agentStart gives an agent its work. The client starts the agent whatever this hook
// says, so an agent without work is told to stop, and can use no tool.
func (c call) agentStart(ctx context.Context) (reply, error) {
	work, err := ask(ctx, c, func(svc api.Sessions) (api.Assignment, error) {
		return svc.Take(ctx, c.in.Session, api.Take{Agent: c.in.Agent, Type: c.in.AgentType, Dir: c.in.Dir})
	})
	var text string
	if err != nil {
		c.entry.Error = err.Error()
		text, err = render("idle", trouble{Error: err})
	} else {
		text, err = render("assignment", work)
	}
	return reply{Answer: hook.Context(hook.EventAgentStart, text)}, err
}

// maxMessage bounds an agent's last words.
const maxMessage = 16 << 10

// agentStop reports that an agent has ended. An agent without a type is the client's
// own, such as the one that writes a summary. An agent that dies has no such event:
// the engine misses it at the end of the session's turn.
func (c call) agentStop(ctx context.Context) error {
	if c.in.Agent == "" || c.in.AgentType == "" {
		return nil
	}
	return c.engine(ctx, func(svc api.Sessions) error {
		return svc.HandIn(ctx, c.in.Session, api.HandIn{
			Agent: c.in.Agent, Message: plain.ClipBytes(c.in.LastMessage, maxMessage), Transcript: c.in.AgentTranscript,
		})
	})
}

// trouble is an error to tell a person or a model about.
type trouble struct {
	Error error
	What  string
}

// Hint is what can be done about it.
func (t trouble) Hint() string { return wording.Hint(t.Error) }
