package scriptedmodel

import "fmt"

// dialogue is one conversation being played to one agent; it has none where
// nothing in the scenario matches.
type dialogue struct {
	conversation *Conversation
	values       values
	opening      string
	// script is what is being played: the conversation's turns, then those of
	// the rule that was last chosen.
	script   []Turn
	next     int
	failures int
	occurred map[*Rule]int
	// spoke is set once the agent has been given a message, not only errors.
	spoke bool
}

// continues reports whether a call of the same session and agent belongs here.
func (d *dialogue) continues(answered bool, opening string) bool {
	if d.conversation == nil {
		return d.opening == opening
	}
	return answered || !d.spoke || d.opening != opening
}

// choose is the turn that answers a call, or why there is none.
func (d *dialogue) choose(r *Request) (*Turn, string) {
	name := d.conversation.Name
	if d.next >= len(d.script) && !d.react(r.Heard) {
		if len(d.conversation.Rules) > 0 {
			return nil, fmt.Sprintf("%s has no rule for what the agent said: %q", name, excerpt(r.Heard))
		}
		return nil, fmt.Sprintf("%s has no turn %d; the agent went on after its end, saying %q", name, d.next+1, excerpt(r.Heard))
	}
	t := &d.script[d.next]
	r.Turn, r.Line = d.next, t.line
	if !d.values.learn(t.Expect, r.Heard) {
		return nil, fmt.Sprintf("%s, turn %d (line %d) expects %q, but the agent said %q", name, d.next+1, t.line, t.Expect, excerpt(r.Heard))
	}
	d.advance(t)
	return t, ""
}

// react makes the first rule for what the agent said the script. Like the
// scenario's conversations, every rule that matches is counted.
func (d *dialogue) react(heard string) bool {
	var first *Rule
	for _, rule := range d.conversation.Rules {
		if rule.When != nil && !rule.When.MatchString(heard) {
			continue
		}
		d.occurred[rule]++
		if first == nil && (rule.Nth == 0 || rule.Nth == d.occurred[rule]) {
			first = rule
		}
	}
	if first == nil {
		return false
	}
	d.values.learn(first.When, heard)
	d.script, d.next = first.Turns, 0
	return true
}

func (d *dialogue) advance(t *Turn) {
	if t.Error != nil {
		if d.failures++; d.failures < t.Error.Times {
			return
		}
	} else {
		d.spoke = true
	}
	d.failures = 0
	d.next++
}
