package hook

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzPreToolUse holds that an event is either none, or decided upon for the session that every reader finds in it; and
// that whatever is decided for an agent without work is a refusal.
func FuzzPreToolUse(f *testing.F) {
	s := newStage(f)
	for _, fields := range []map[string]any{
		{"tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}},
		{"tool_name": "Bash", "agent_id": "a1", "agent_type": "stellwerk:developer", "tool_input": map[string]any{"command": "ls\n; x"}},
		{"tool_name": "Write", "agent_id": "a1", "cwd": s.work, "tool_input": map[string]any{"file_path": "../../x", "content": "y"}},
		{"tool_name": "Read", "agent_id": "gone", "tool_input": map[string]any{"file_path": "/etc/passwd"}},
		{"tool_name": "Agent", "tool_input": map[string]any{"subagent_type": "stellwerk:developer", "prompt": "Read /p/prompt.md and do what it says."}},
		{"session_id": "another", "agent_type": "stellwerk:x", "agent_id": "y"},
	} {
		f.Add(event(f, fields))
	}
	f.Add([]byte(`{"session_id":"a","Session_ID":"` + session + `"}`))
	f.Add([]byte(`{"session_id":"` + session + `","tool_input":{"command":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, entry, err := PreToolUse(s.state, data)
		if err != nil {
			return // the call does not happen
		}
		var text bytes.Buffer
		if err := answer.Write(&text); err != nil || !json.Valid(text.Bytes()) {
			t.Fatalf("%q is answered with %q, %v", data, &text, err)
		}
		if entry.Session != session {
			return
		}
		in, err := Parse(data)
		if err != nil || in.Session != session {
			t.Fatalf("%q is decided upon, and is of %q, %v", data, in.Session, err)
		}
		if in.Agent != "" && in.Agent != "a1" && in.Tool != handback && answer.Did() != deny {
			t.Fatalf("%q of an agent without work: %s", data, answer.Did())
		}
	})
}
