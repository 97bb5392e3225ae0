package scriptedmodel

import (
	"fmt"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// Scenario is the whole part a scripted model plays. In YAML:
//
//	conversations:
//	  - name: the liar                 # for messages only
//	    prompt: "step (?P<step>\\d+)"  # must occur in the first user message
//	    system: "You are a tester"     # must occur in the system prompt
//	    agent: true                    # only a subagent; false: only a session's own loop
//	    nth: 1                         # only the first conversation that matches the above
//	    turns:
//	      - thinking: This looks easy.
//	        text: I write the file.
//	        tool: {name: Write, input: {file_path: "{{cwd}}/a.txt", content: "step {{step}}"}}
//	      - expect: "created successfully"  # must occur in what the agent said since
//	        error: {status: 529, type: overloaded_error, message: busy, retry_after: 1, times: 2}
//	      - tools: [{name: Read, input: {}}, {name: Bash, input: {command: ls}}]
//	      - text: Done.
//	        delay: 100ms
//	        stop_reason: end_turn
//	        usage: {input: 900, output: 30, cache_read: 4000, cache_write: 100}
//	  - name: the messenger
//	    rules:                         # after the turns, where there are any
//	      - when: "Start these"        # must occur in what the agent said since
//	        tool: {each: "- (?P<type>\\w+)", name: Agent, input: {subagent_type: "{{type}}"}}
//	      - text: Nothing to do.       # otherwise
//	summary: What was done so far.     # the answer to a request for a summary
//
// The first conversation whose conditions hold is played. Named groups of
// prompt, system, expect, when and each can be used in later texts and tool
// inputs as {{name}}; {{cwd}} is the agent's working directory as its system
// prompt says.
type Scenario struct {
	Conversations []*Conversation
	Summary       string
}

// Conversation is one exchange between an agent and the model: Turns, in order,
// then whatever the Rules say.
type Conversation struct {
	Name   string
	Prompt *regexp.Regexp
	System *regexp.Regexp
	Agent  *bool
	Nth    int
	Turns  []Turn
	Rules  []*Rule
}

// Load reads the scenario in the file at path.
func Load(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a scenario; name appears in errors.
func Parse(name string, data []byte) (*Scenario, error) {
	parsed := &Scenario{Summary: "The scenario has no summary of its own."}
	fields := scenario.Fields{
		"conversations": scenario.List(parsed.addConversation),
		"summary":       scenario.String(&parsed.Summary),
	}
	err := scenario.Read(name, data, func(node *yaml.Node) error {
		if err := fields.Decode(node); err != nil {
			return err
		}
		if len(parsed.Conversations) == 0 {
			return scenario.Errorf(node, "the scenario has no conversations")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return parsed, nil
}

func (s *Scenario) addConversation(node *yaml.Node) error {
	c := &Conversation{}
	err := scenario.Fields{
		"name":   scenario.String(&c.Name),
		"prompt": scenario.Regexp(&c.Prompt),
		"system": scenario.Regexp(&c.System),
		"agent": func(node *yaml.Node) error {
			c.Agent = new(bool)
			return scenario.Bool(c.Agent)(node)
		},
		"nth":   scenario.Int(&c.Nth),
		"turns": scenario.List(addTurn(&c.Turns)),
		"rules": scenario.List(c.addRule),
	}.Decode(node)
	if err != nil {
		return err
	}
	if len(c.Turns) == 0 && len(c.Rules) == 0 {
		return scenario.Errorf(node, "the conversation has no turns and no rules")
	}
	if c.Name == "" {
		c.Name = fmt.Sprintf("the conversation of line %d", node.Line)
	}
	if err := c.checkPlaceholders(node); err != nil {
		return err
	}
	s.Conversations = append(s.Conversations, c)
	return nil
}
