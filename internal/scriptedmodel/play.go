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

// cue is what to answer to a call.
type cue struct {
	turn   *Turn
	values values
	heard  string
	id     int
	model  string
	// refusal replaces the turn where the scenario has nothing to say.
	refusal string
}

// answer chooses the turn for a call and notes it in r.
func (p *player) answer(call *messagesCall, r *Request) cue {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replies++
	c := cue{id: p.replies, model: call.Model, heard: r.Heard}

	if c.turn = p.aside(call, r); c.turn != nil {
		return c
	}
	d := p.dialogue(call, r)
	if d == nil || d.conversation == nil {
		c.refusal = fmt.Sprintf("no conversation of the scenario matches the prompt %q", excerpt(r.Prompt))
		return c
	}
	r.Conversation = d.conversation.Name
	c.turn, c.refusal = d.choose(r)
	c.values = maps.Clone(d.values)
	return c
}

// dialogue finds the one a call belongs to, or starts it. A session and each of
// its subagents hold one conversation; where no session is named, the opening
// identifies it. The same opening heard again after an answer was given to it is
// a new conversation. Another opening is not: a session that was compacted goes
// on with a summary in its place.
func (p *player) dialogue(call *messagesCall, r *Request) *dialogue {
	key := r.Session + "/" + r.Agent
	if r.Session == "" {
		key = fmt.Sprintf("/%x", sha256.Sum256([]byte(r.Prompt)))
	}
	d := p.ongoing[key]
	if d != nil && d.continues(call.answered(), r.Prompt) {
		return d
	}
	if d == nil && r.Session == "" && call.answered() {
		return nil
	}
	if d = p.start(r); d != nil {
		p.ongoing[key] = d
		return d
	}
	if r.Session != "" {
		// Agents repeat a refused call; a repetition is not another conversation.
		p.ongoing[key] = &dialogue{opening: r.Prompt}
	}
	return nil
}

// start opens the first conversation whose conditions hold. Every one that
// matches is counted, so that the order of the list does not shift their nth.
func (p *player) start(r *Request) *dialogue {
	var first *dialogue
	for _, c := range p.scenario.Conversations {
		v := values{workingDirectory: directoryIn(r.System)}
		if c.Agent != nil && *c.Agent != (r.Agent != "") || !v.learn(c.Prompt, r.Prompt) || !v.learn(c.System, r.System) {
			continue
		}
		p.started[c]++
		if first == nil && (c.Nth == 0 || c.Nth == p.started[c]) {
			first = &dialogue{
				conversation: c, values: v, opening: r.Prompt, script: c.Turns, occurred: make(map[*Rule]int),
			}
		}
	}
	return first
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
