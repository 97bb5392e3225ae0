package scriptedmodel

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// player keeps track of who is at which turn. Calls of several agents may
// arrive at once.
type player struct {
	scenario *Scenario

	mu       sync.Mutex
	ongoing  map[string]*dialogue
	started  map[*Conversation]int
	replies  int
	requests []Request
}

// dialogue is one conversation being played to one agent; it has none where
// nothing in the scenario matches.
type dialogue struct {
	conversation *Conversation
	values       values
	next         int
	failures     int
}

// cue is what to answer to a call.
type cue struct {
	turn   *Turn
	values values
	id     int
	model  string
	// refusal replaces the turn where the scenario has nothing to say.
	refusal string
}

// answer chooses the turn for a call and notes it in r.
func (p *player) answer(call *messagesCall, session string, r *Request) cue {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies++
	c := cue{id: p.replies, model: call.Model}

	if sideCall(call, session, r) {
		c.turn = &Turn{Text: sideAnswer}
		return c
	}
	d := p.dialogue(call, session, r)
	if d == nil || d.conversation == nil {
		c.refusal = fmt.Sprintf("no conversation of the scenario matches the prompt %q", excerpt(r.Prompt))
		return c
	}
	r.Conversation, r.Turn = d.conversation.Name, d.next
	if d.next >= len(d.conversation.Turns) {
		c.refusal = fmt.Sprintf("%s has no turn %d; the agent went on after its end, saying %q",
			d.conversation.Name, d.next+1, excerpt(r.Latest))
		return c
	}
	t := &d.conversation.Turns[d.next]
	if !d.values.learn(t.Expect, r.Latest) {
		c.refusal = fmt.Sprintf("%s, turn %d (line %d) expects %q, but the agent said %q",
			d.conversation.Name, d.next+1, t.line, t.Expect, excerpt(r.Latest))
		return c
	}
	d.advance(t)
	c.turn, c.values = t, maps.Clone(d.values)
	return c
}

func (d *dialogue) advance(t *Turn) {
	if t.Error != nil {
		if d.failures++; d.failures < t.Error.Times {
			return
		}
	}
	d.failures = 0
	d.next++
}

// dialogue finds the one a call belongs to, or starts it. An agent's session and
// its first prompt identify a conversation, since a session's subagents hold
// conversations of their own. The same opening heard again after an answer was
// given to it is a new conversation.
func (p *player) dialogue(call *messagesCall, session string, r *Request) *dialogue {
	key := fmt.Sprintf("%s/%x", session, sha256.Sum256([]byte(r.Prompt)))
	d := p.ongoing[key]
	if d != nil && (call.answered() || !d.spoke()) {
		return d
	}
	if d == nil && session == "" && call.answered() {
		return nil
	}
	if d = p.start(r); d != nil {
		p.ongoing[key] = d
		return d
	}
	if session != "" {
		// Agents repeat a refused call; a repetition is not another conversation.
		p.ongoing[key] = &dialogue{}
	}
	return nil
}

// start opens the first conversation whose conditions hold. Every one that
// matches is counted, so that the order of the list does not shift their nth.
func (p *player) start(r *Request) *dialogue {
	var first *dialogue
	for _, c := range p.scenario.Conversations {
		v := values{workingDirectory: directoryIn(r.System)}
		if !v.learn(c.Prompt, r.Prompt) || !v.learn(c.System, r.System) {
			continue
		}
		p.started[c]++
		if first == nil && (c.Nth == 0 || c.Nth == p.started[c]) {
			first = &dialogue{conversation: c, values: v}
		}
	}
	return first
}

// spoke reports whether the agent has been given a message, not only errors.
func (d *dialogue) spoke() bool {
	for i := range d.next {
		if d.conversation.Turns[i].Error == nil {
			return true
		}
	}
	return false
}

// directoryIn finds the working directory an agent is told in its system prompt.
func directoryIn(system string) string {
	named := regexp.MustCompile(`(?i)working directory: *(/[^\r\n]*)`)
	if match := named.FindStringSubmatch(system); match != nil {
		return strings.TrimSpace(match[1])
	}
	return ""
}

// excerpt is the end of a text, where an agent's prompt says what it is about.
func excerpt(text string) string {
	const most = 300
	runes := []rune(strings.TrimSpace(text))
	if len(runes) <= most {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-most:])
}
