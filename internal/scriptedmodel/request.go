package scriptedmodel

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Request is one call an agent made, kept for assertions.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Session and Agent are what the agent program calls its session and, where
	// the call is a subagent's, that subagent.
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Credential is the header that carried the caller's credential and the
	// SHA-256 of its value: enough to tell whose it was, and no use to anybody.
	Credential string `json:"credential,omitempty"`
	// Conversation is the name of the conversation that answered, Turn the index
	// of its turn, or of that of a rule, and Line where the turn begins in the
	// scenario; Conversation is empty for side calls and refusals.
	Conversation string `json:"conversation,omitempty"`
	Turn         int    `json:"turn"`
	Line         int    `json:"line,omitempty"`
	Status       int    `json:"status"`
	// Lost is set when the agent hung up before the whole reply was sent.
	Lost bool `json:"-"`
	// Model, System, Prompt and Latest are the model asked for, the system
	// prompt with system messages that follow it, and the text of the first and
	// of the last user message, tool results included. Tools are the names of
	// the tools on offer.
	Model  string   `json:"model,omitempty"`
	System string   `json:"-"`
	Prompt string   `json:"prompt,omitempty"`
	Latest string   `json:"-"`
	Tools  []string `json:"tools,omitempty"`
	Stream bool     `json:"-"`
	// Heard is everything said since the model last spoke: user messages, tool
	// results and system messages, such as what a hook adds.
	Heard string `json:"heard,omitempty"`
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
func (m *messagesCall) record(r *http.Request) Request {
	record := Request{
		Method: r.Method, Path: r.URL.Path,
		Session: r.Header.Get("X-Claude-Code-Session-Id"), Agent: r.Header.Get("X-Claude-Code-Agent-Id"),
		Credential: credentialOf(r.Header), Model: m.Model, System: string(m.System), Stream: m.Stream,
	}
	if record.Session == "" {
		record.Session = m.Metadata.UserID
	}
	for _, tool := range m.Tools {
		record.Tools = append(record.Tools, tool.Name)
	}
	var heard []string
	for i := range m.Messages {
		text := string(m.Messages[i].Content)
		switch m.Messages[i].Role {
		case "system":
			record.System += "\n" + text
			heard = append(heard, text)
		case "user":
			if record.Prompt == "" {
				record.Prompt = text
			}
			record.Latest = text
			heard = append(heard, text)
		case "assistant":
			heard = nil
		}
	}
	record.Heard = strings.Join(heard, "\n")
	return record
}

func credentialOf(h http.Header) string {
	for _, name := range []string{"X-Api-Key", "Authorization"} {
		if value := h.Get(name); value != "" {
			return fmt.Sprintf("%s %x", name, sha256.Sum256([]byte(strings.TrimPrefix(value, "Bearer "))))
		}
	}
	return ""
}

// answered reports whether the model has spoken in this conversation before.
func (m *messagesCall) answered() bool {
	return slices.ContainsFunc(m.Messages, func(said message) bool { return said.Role == "assistant" })
}
