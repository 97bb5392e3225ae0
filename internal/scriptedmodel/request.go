package scriptedmodel

import (
	"encoding/json"
	"strings"
)

// Request is one call an agent made, kept for assertions.
type Request struct {
	Method, Path string
	// Conversation is the name of the conversation that answered and Turn the
	// index of its turn; Conversation is empty for side calls and refusals.
	Conversation string
	Turn         int
	Status       int
	// Lost is set when the agent hung up before the whole reply was sent.
	Lost bool
	// Model, System, Prompt and Latest are the model asked for, the system
	// prompt with system messages that follow it, and the text of the first and
	// of the last user message, tool results included. Tools are the names of
	// the tools on offer.
	Model  string
	System string
	Prompt string
	Latest string
	Tools  []string
	Stream bool
}

// messagesCall is the part of a Messages API call that matters here.
type messagesCall struct {
	Model    string    `json:"model"`
	System   content   `json:"system"`
	Messages []message `json:"messages"`
	Tools    []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Stream   bool `json:"stream"`
	Metadata struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is the text of a message, whose JSON is either a string or a list of
// blocks, where the text of a tool result is nested once more. Other kinds of
// blocks, such as images, have no text.
type content string

// UnmarshalJSON joins the texts of all blocks with newlines.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	var texts []string
	for _, block := range blocks {
		nested := content(block.Text)
		if block.Type == "tool_result" && len(block.Content) > 0 {
			if err := nested.UnmarshalJSON(block.Content); err != nil {
				return err
			}
		}
		if nested != "" {
			texts = append(texts, string(nested))
		}
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}

// record starts the Request kept for a call.
func (m *messagesCall) record(method, path string) Request {
	r := Request{
		Method: method, Path: path,
		Model: m.Model, System: string(m.System), Stream: m.Stream,
	}
	for _, tool := range m.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	for i := range m.Messages {
		text := string(m.Messages[i].Content)
		switch m.Messages[i].Role {
		case "system":
			r.System += "\n" + text
		case "user":
			if r.Prompt == "" {
				r.Prompt = text
			}
			r.Latest = text
		}
	}
	return r
}

// answered reports whether the model has spoken in this conversation before.
func (m *messagesCall) answered() bool {
	for i := range m.Messages {
		if m.Messages[i].Role == "assistant" {
			return true
		}
	}
	return false
}
