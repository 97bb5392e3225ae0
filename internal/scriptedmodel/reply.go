package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

// reply is a Messages API message on its way out.
type reply struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        usage   `json:"usage"`
}

// block is one content block. The fields that a kind of block does not have are
// left out; those it has are always written, empty ones included, because
// clients rely on them.
type block struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

type usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	CacheWrite   int64 `json:"cache_creation_input_tokens"`
	CacheRead    int64 `json:"cache_read_input_tokens"`
}

// compose builds the message of a turn; the cue's id makes it and its tool calls
// unique.
func compose(c *cue) (reply, error) {
	t, v := c.turn, c.values
	r := reply{ID: fmt.Sprintf("msg_%06d", c.id), Type: "message", Role: "assistant", Model: c.model, Content: []block{}}
	if t.Thinking != "" {
		signature := "c2NyaXB0ZWQ="
		thinking := v.expand(t.Thinking)
		r.Content = append(r.Content, block{Type: "thinking", Thinking: &thinking, Signature: &signature})
	}
	if t.Text != "" {
		text := v.expand(t.Text)
		r.Content = append(r.Content, block{Type: "text", Text: &text})
	}
	calls, err := toolCalls(c)
	if err != nil {
		return reply{}, err
	}
	r.Content = append(r.Content, calls...)
	stop := "end_turn"
	if len(calls) > 0 {
		stop = "tool_use"
	}
	if t.StopReason != "" {
		stop = t.StopReason
	}
	r.StopReason = &stop
	r.Usage = usage{InputTokens: 100, OutputTokens: 20}
	if u := t.Usage; u != nil {
		r.Usage = usage{InputTokens: u.Input, OutputTokens: u.Output, CacheWrite: u.CacheWrite, CacheRead: u.CacheRead}
	}
	return r, nil
}

func toolCalls(c *cue) ([]block, error) {
	var calls []block
	for _, call := range c.turn.Tools {
		matches := c.values.each(call.Each, c.heard)
		if len(matches) == 0 {
			return nil, fmt.Errorf("line %d calls %s for each %q, but the agent said %q", c.turn.line, call.Name, call.Each, excerpt(c.heard))
		}
		for _, v := range matches {
			input, err := v.expandJSON(call.Input)
			if err != nil {
				return nil, err
			}
			calls = append(calls, block{
				Type: "tool_use", ID: fmt.Sprintf("toolu_%06d_%d", c.id, len(calls)), Name: v.expand(call.Name), Input: input,
			})
		}
	}
	return calls, nil
}

// send writes the message in the form the call asked for.
func (r *reply) send(w http.ResponseWriter, stream bool) error {
	if !stream {
		return writeJSON(w, http.StatusOK, r)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	for _, event := range r.events() {
		data, err := json.Marshal(event)
		if err != nil {
			return fmt.Errorf("encoding the event %s: %w", event["type"], err)
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], data); err != nil {
			return fmt.Errorf("sending the event %s: %w", event["type"], err)
		}
	}
	return nil
}

// events is the message as the API streams it: an empty shell, then the blocks
// one after the other, each opened empty and filled by deltas, then the end.
func (r *reply) events() []map[string]any {
	shell := *r
	shell.Content, shell.StopReason = []block{}, nil
	shell.Usage.OutputTokens = min(1, r.Usage.OutputTokens)
	events := []map[string]any{{"type": "message_start", "message": shell}}
	for i := range r.Content {
		opened, deltas := r.Content[i].open()
		events = append(events, map[string]any{"type": "content_block_start", "index": i, "content_block": opened})
		for _, delta := range deltas {
			events = append(events, map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		}
		events = append(events, map[string]any{"type": "content_block_stop", "index": i})
	}
	return append(events,
		map[string]any{
			"type":  "message_delta",
			"delta": map[string]any{"stop_reason": r.StopReason, "stop_sequence": nil},
			"usage": r.Usage,
		},
		map[string]any{"type": "message_stop"})
}

// open is the block without what its deltas will say, and those deltas.
func (b *block) open() (block, []map[string]any) {
	opened, empty := *b, ""
	switch b.Type {
	case "text":
		opened.Text = &empty
		return opened, deltas("text_delta", "text", *b.Text)
	case "thinking":
		opened.Thinking, opened.Signature = &empty, &empty
		return opened, append(deltas("thinking_delta", "thinking", *b.Thinking),
			map[string]any{"type": "signature_delta", "signature": *b.Signature})
	default:
		opened.Input = json.RawMessage("{}")
		return opened, deltas("input_json_delta", "partial_json", string(b.Input))
	}
}

// deltaSize is how many characters a delta has at most. The API's have fewer; what matters is that a long answer comes in
// many events, so that it can end in the middle.
const deltaSize = 1000

func deltas(kind, field, text string) []map[string]any {
	var all []map[string]any
	for part := range slices.Chunk([]rune(text), deltaSize) {
		all = append(all, map[string]any{"type": kind, field: string(part)})
	}
	return all
}

// send writes the error as the API does. A final one is marked as not worth
// repeating, which clients of the API respect.
func (e *APIError) send(w http.ResponseWriter, final bool) error {
	for name, value := range e.Headers {
		w.Header().Set(name, value)
	}
	if e.RetryAfter != "" {
		w.Header().Set("Retry-After", e.RetryAfter)
	}
	if final {
		w.Header().Set("X-Should-Retry", strconv.FormatBool(false))
	}
	return writeJSON(w, e.Status, map[string]any{
		"type":  "error",
		"error": map[string]any{"type": e.Type, "message": e.Message},
	})
}

func writeJSON(w http.ResponseWriter, status int, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding the reply: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := io.WriteString(w, string(data)+"\n"); err != nil {
		return fmt.Errorf("sending the reply: %w", err)
	}
	return nil
}
