package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

// Scenario is the whole part a scripted model plays. In YAML:
//
//	conversations:
//	  - name: the liar                 # for messages only
//	    prompt: "step (?P<step>\\d+)"  # must occur in the first user message
//	    system: "You are a tester"     # must occur in the system prompt
//	    nth: 1                         # only the first conversation that matches the above
//	    turns:
//	      - thinking: This looks easy.
//	        text: I write the file.
//	        tool: {name: Write, input: {file_path: "{{cwd}}/a.txt", content: "step {{step}}"}}
//	      - expect: "created successfully"  # must occur in the latest user message
//	        error: {status: 529, type: overloaded_error, message: busy, retry_after: 1, times: 2}
//	      - tools: [{name: Read, input: {}}, {name: Bash, input: {command: ls}}]
//	      - text: Done.
//	        delay: 100ms
//	        stop_reason: end_turn
//	        usage: {input: 900, output: 30, cache_read: 4000, cache_write: 100}
//
// The first conversation whose conditions hold is played. Named groups of
// prompt, system and expect can be used in later texts and tool inputs as
// {{name}}; {{cwd}} is the agent's working directory as its system prompt says.
type Scenario struct {
	Conversations []*Conversation
}

// Conversation is one exchange between an agent and the model.
type Conversation struct {
	Name   string
	Prompt *regexp.Regexp
	System *regexp.Regexp
	Nth    int
	Turns  []Turn
}

// Turn is one reply of the model.
type Turn struct {
	Expect     *regexp.Regexp
	Delay      time.Duration
	Thinking   string
	Text       string
	Tools      []ToolCall
	StopReason string
	Usage      *Usage
	Error      *APIError

	line int
}

// ToolCall is a tool the model asks the agent to use.
type ToolCall struct {
	Name  string
	Input json.RawMessage
}

// Usage is what a turn is said to have consumed.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
}

// APIError makes a turn fail Times times (once unless told) before the
// conversation goes on with the next turn. RetryAfter is in seconds.
type APIError struct {
	Status     int
	Type       string
	Message    string
	RetryAfter string
	Times      int
	// Headers are added to the reply, such as the rate limits of a plan.
	Headers map[string]string
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
	parsed := &Scenario{}
	fields := scenario.Fields{"conversations": scenario.List(parsed.addConversation)}
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
		"nth":    scenario.Int(&c.Nth),
		"turns":  scenario.List(c.addTurn),
	}.Decode(node)
	if err != nil {
		return err
	}
	if len(c.Turns) == 0 {
		return scenario.Errorf(node, "the conversation has no turns")
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

func (c *Conversation) addTurn(node *yaml.Node) error {
	t := Turn{line: node.Line}
	err := scenario.Fields{
		"expect":      scenario.Regexp(&t.Expect),
		"delay":       scenario.Duration(&t.Delay),
		"thinking":    scenario.String(&t.Thinking),
		"text":        scenario.String(&t.Text),
		"tool":        t.addTool,
		"tools":       scenario.List(t.addTool),
		"stop_reason": scenario.String(&t.StopReason),
		"usage":       t.setUsage,
		"error":       t.setError,
	}.Decode(node)
	if err != nil {
		return err
	}
	speaks := t.Text != "" || t.Thinking != "" || len(t.Tools) > 0 || t.StopReason != ""
	switch {
	case t.Error != nil && speaks:
		return scenario.Errorf(node, "a turn either fails or says something; remove error or the rest")
	case t.Error == nil && !speaks:
		return scenario.Errorf(node, "the turn says nothing; give it text, a tool, a stop_reason or an error")
	}
	c.Turns = append(c.Turns, t)
	return nil
}

func (t *Turn) addTool(node *yaml.Node) error {
	call := ToolCall{Input: json.RawMessage("{}")}
	err := scenario.Fields{
		"name":  scenario.String(&call.Name),
		"input": scenario.JSON(&call.Input),
	}.Decode(node)
	if err != nil {
		return err
	}
	if call.Name == "" {
		return scenario.Errorf(node, "the tool has no name")
	}
	t.Tools = append(t.Tools, call)
	return nil
}

func (t *Turn) setUsage(node *yaml.Node) error {
	t.Usage = &Usage{}
	return scenario.Fields{
		"input":       scenario.Int(&t.Usage.Input),
		"output":      scenario.Int(&t.Usage.Output),
		"cache_read":  scenario.Int(&t.Usage.CacheRead),
		"cache_write": scenario.Int(&t.Usage.CacheWrite),
	}.Decode(node)
}

func (t *Turn) setError(node *yaml.Node) error {
	e := &APIError{Type: "api_error", Message: "scripted failure", Times: 1}
	t.Error = e
	err := scenario.Fields{
		"status":      scenario.Int(&e.Status),
		"type":        scenario.String(&e.Type),
		"message":     scenario.String(&e.Message),
		"retry_after": scenario.String(&e.RetryAfter),
		"times":       scenario.Int(&e.Times),
		"headers":     scenario.StringMap(&e.Headers),
	}.Decode(node)
	if err != nil {
		return err
	}
	if e.Status < 400 || e.Status > 599 {
		return scenario.Errorf(node, "an error needs a status from 400 to 599")
	}
	return nil
}
