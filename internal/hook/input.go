package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// maxInput bounds an event: the largest one carries a file that is written.
const maxInput = 32 << 20

// The events that the plugin listens to.
const (
	EventPreToolUse     = "PreToolUse"
	EventPrompt         = "UserPromptSubmit"
	EventStop           = "Stop"
	EventAgentStart     = "SubagentStart"
	EventAgentStop      = "SubagentStop"
	EventSessionStart   = "SessionStart"
	EventSessionEnd     = "SessionEnd"
	EventCompact        = "PreCompact"
	EventWorktreeCreate = "WorktreeCreate"
	EventWorktreeRemove = "WorktreeRemove"
)

// Input is an event of Claude Code, as a hook reads it from standard input.
// Fields that an event does not have are empty.
type Input struct {
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Dir        string `json:"cwd"`
	Event      string `json:"hook_event_name"`
	// Agent is set inside a subagent only. AgentType is its kind.
	Agent     string `json:"agent_id"`
	AgentType string `json:"agent_type"`

	// Of PreToolUse.
	Tool      string         `json:"tool_name"`
	ToolInput map[string]raw `json:"tool_input"`

	Prompt string `json:"prompt"` // of UserPromptSubmit
	// Source says how a session started, or who wrote a prompt.
	Source string `json:"source"`

	// Of Stop and SubagentStop. Tasks is nil if the client does not tell.
	Tasks           *[]Task `json:"background_tasks"`
	LastMessage     string  `json:"last_assistant_message"`
	AgentTranscript string  `json:"agent_transcript_path"`

	Name     string `json:"name"`          // of WorktreeCreate
	Worktree string `json:"worktree_path"` // of WorktreeRemove
}

// raw is a value that is passed on unchanged.
type raw = json.RawMessage

// Task is something that goes on in the background of a session.
type Task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// ErrNoEvent means that standard input did not hold an event.
var ErrNoEvent = errors.New("standard input holds no event of Claude Code")

// ReadBytes reads an event without parsing it.
func ReadBytes(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoEvent, err)
	}
	if len(data) > maxInput {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", ErrNoEvent, maxInput)
	}
	return data, nil
}

// SessionOf is the session of an event. It reads nothing else, and not strictly: the
// event of a session that owns no run may hold anything. It refuses an event that
// names a session twice, in whatever spelling.
func SessionOf(data []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("%w: it is not an object", ErrNoEvent)
	}
	session := ""
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoEvent, err)
		}
		var value raw
		if err := d.Decode(&value); err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoEvent, err)
		}
		if key, ok := name.(string); !ok || !strings.EqualFold(key, "session_id") {
			continue
		}
		if session != "" {
			return "", fmt.Errorf("%w: it names two sessions", ErrNoEvent)
		}
		if session, err = sessionName(value); err != nil {
			return "", err
		}
	}
	if _, err := d.Token(); err != nil {
		return "", fmt.Errorf("%w: it does not end: %w", ErrNoEvent, err)
	}
	if session == "" {
		return "", fmt.Errorf("%w: it names no session", ErrNoEvent)
	}
	return session, nil
}

func sessionName(value raw) (string, error) {
	var name string
	if err := json.Unmarshal(value, &name); err != nil {
		return "", fmt.Errorf("%w: the session: %w", ErrNoEvent, err)
	}
	if name == "" {
		return "", fmt.Errorf("%w: it names no session", ErrNoEvent)
	}
	return name, nil
}

// Parse reads an event strictly: it refuses one that two readers could understand
// differently.
func Parse(data []byte) (Input, error) {
	var in Input
	if err := (strictjson.Limits{Bytes: maxInput}).Unmarshal(data, &in); err != nil {
		return Input{}, fmt.Errorf("%w: %w", ErrNoEvent, err)
	}
	if in.Event == "" {
		return Input{}, fmt.Errorf("%w: it has no name", ErrNoEvent)
	}
	return in, nil
}

// text is a field of a tool's input; empty if it is absent or no text.
func (in Input) text(field string) string {
	value := in.ToolInput[field]
	if len(value) >= 2 && value[0] == '"' && !bytes.ContainsRune(value, '\\') {
		return string(value[1 : len(value)-1]) // Parse has seen that it is a text
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return ""
	}
	return s
}
