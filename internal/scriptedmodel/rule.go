package scriptedmodel

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// Rule says what the model answers whenever something occurs in what the agent
// said since the last answer. Its turns are played to their end before the rules
// are looked at again.
type Rule struct {
	When  *regexp.Regexp // none: otherwise
	Nth   int            // only the n-th time that When occurs; 0 for every time
	Turns []Turn
}

// addRule reads a rule, whose only turn may be written beside its condition.
func (c *Conversation) addRule(node *yaml.Node) error {
	r, only := &Rule{}, Turn{line: node.Line}
	fields := only.fields()
	fields["when"] = scenario.Regexp(&r.When)
	fields["nth"] = scenario.Int(&r.Nth)
	fields["turns"] = scenario.List(addTurn(&r.Turns))
	if err := fields.Decode(node); err != nil {
		return err
	}
	switch {
	case len(r.Turns) == 0:
		if err := only.check(node); err != nil {
			return err
		}
		r.Turns = []Turn{only}
	case only.speaks() || only.Error != nil || only.Expect != nil || only.Delay != 0 || only.Usage != nil:
		return scenario.Errorf(node, "a rule has turns or is one itself; move what is beside turns into it")
	}
	c.Rules = append(c.Rules, r)
	return nil
}
