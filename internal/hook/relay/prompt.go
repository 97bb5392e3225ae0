package relay

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// byMachine reports a prompt that the client made itself. Its source says so, if the
// client names one. Otherwise its form does: messages of the client or of an agent
// come in an element whose name has a hyphen, as in <task-notification> and
// <agent-message>; a person's text rarely begins so.
func byMachine(in hook.Input) bool {
	switch in.Source {
	case "user", "sdk", "":
	default:
		return true
	}
	element, found := strings.CutPrefix(strings.TrimSpace(in.Prompt), "<")
	name, _, _ := strings.Cut(element, ">")
	name, _, _ = strings.Cut(name, " ")
	return found && strings.Contains(name, "-")
}

// Said is what the person in a session said last.
type Said struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// maxSaid bounds what is kept of it.
const maxSaid = 64 << 10

// prompt records the person's word with the engine, and tells the model what it
// may do with it.
func (c call) prompt(ctx context.Context) (reply, error) {
	if byMachine(c.in) {
		return reply{}, nil
	}
	if err := c.forget(blocksFile); err != nil {
		c.entry.Error = err.Error()
	}
	if err := c.remember(saidFile, Said{Text: plain.ClipBytes(c.in.Prompt, maxSaid), At: c.Now()}); err != nil {
		c.entry.Error = err.Error()
	}
	turn, err := ask(ctx, c, func(svc api.Sessions) (api.Turn, error) {
		return svc.Say(ctx, c.in.Session, api.Say{Text: c.in.Prompt})
	})
	if err != nil {
		c.entry.Error = err.Error()
		return tell("trouble", trouble{Error: err, What: "what you said"})
	}
	c.entry.Turn = string(turn.Kind)
	text, err := heardText(turn)
	return reply{Answer: hook.Context(hook.EventPrompt, text)}, err
}

// LastSaid is the person's last message in a session, without the command that it may
// begin with; empty if there is none.
func LastSaid(state, session, verb string) (string, error) {
	dir, err := snapshot.Dir(state, session)
	if err != nil {
		return "", err
	}
	c := call{dir: dir, entry: &hook.Entry{}}
	var said Said
	c.recall(saidFile, &said)
	if c.entry.Error != "" {
		return "", errors.New("the person's last message cannot be read: " + c.entry.Error)
	}
	text := strings.TrimSpace(said.Text)
	if rest, ok := strings.CutPrefix(text, "/stellwerk:"+verb); ok {
		text = strings.TrimSpace(rest)
	}
	return text, nil
}
