package scriptedmodel

import (
	"encoding/json"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stellwerk-dev/stellwerk/internal/agent/scenario"
)

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
	// Each makes it one call for every different match in what the agent said,
	// with the named groups of that match.
	Each *regexp.Regexp
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

// addTurn is the decoder of one turn of a list.
func addTurn(turns *[]Turn) scenario.Decoder {
	return func(node *yaml.Node) error {
		t := Turn{line: node.Line}
		if err := t.fields().Decode(node); err != nil {
			return err
		}
		if err := t.check(node); err != nil {
			return err
		}
		*turns = append(*turns, t)
		return nil
	}
}

func (t *Turn) fields() scenario.Fields {
	return scenario.Fields{
		"expect":      scenario.Regexp(&t.Expect),
		"delay":       scenario.Duration(&t.Delay),
		"thinking":    scenario.String(&t.Thinking),
		"text":        scenario.String(&t.Text),
		"tool":        t.addTool,
		"tools":       scenario.List(t.addTool),
		"stop_reason": scenario.String(&t.StopReason),
		"usage":       t.setUsage,
		"error":       t.setError,
	}
}

func (t *Turn) speaks() bool {
	return t.Text != "" || t.Thinking != "" || len(t.Tools) > 0 || t.StopReason != ""
}

func (t *Turn) check(node *yaml.Node) error {
	switch {
	case t.Error != nil && t.speaks():
		return scenario.Errorf(node, "a turn either fails or says something; remove error or the rest")
	case t.Error == nil && !t.speaks():
		return scenario.Errorf(node, "the turn says nothing; give it text, a tool, a stop_reason or an error")
	}
	return nil
}

func (t *Turn) addTool(node *yaml.Node) error {
	call := ToolCall{Input: json.RawMessage("{}")}
	err := scenario.Fields{
		"name":  scenario.String(&call.Name),
		"input": scenario.JSON(&call.Input),
		"each":  scenario.Regexp(&call.Each),
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
