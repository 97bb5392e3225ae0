package hook

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// TestAgentsAreHeldToTheRolesTools gives the agent at work a role with a list.
func TestAgentsAreHeldToTheRolesTools(t *testing.T) {
	s := newStage(t)
	snap, err := snapshot.Read(s.state, session)
	if err != nil {
		t.Fatal(err)
	}
	agent := snap.Agents["a1"]
	agent.Tools = []string{"Read", "Bash(git log *)", "Edit(docs/**)"}
	snap.Agents["a1"] = agent
	s.write(snap)
	for _, c := range []struct {
		tool  string
		input map[string]any
		want  string
	}{
		{"Read", map[string]any{"file_path": s.work + "/a"}, allow},
		{"Bash", map[string]any{"command": "git log --oneline"}, allow},
		{"Bash", map[string]any{"command": "touch x"}, deny},
		{"Bash", map[string]any{"command": "git log; touch x"}, deny},
		{"Write", map[string]any{"file_path": s.work + "/a", "content": "x"}, deny},
		{"Edit", map[string]any{"file_path": s.work + "/docs/a"}, deny}, // what the rule says is not known here
		{"Grep", map[string]any{"pattern": "x"}, deny},
		{"WebFetch", map[string]any{"url": "http://127.0.0.1/"}, deny},
		{handback, map[string]any{}, "nothing"},
	} {
		data := event(t, map[string]any{
			"session_id": session, "cwd": s.work, "hook_event_name": "PreToolUse", "agent_id": "a1", "agent_type": "stellwerk:worker",
			"tool_name": c.tool, "tool_input": c.input, "tool_use_id": "t1",
		})
		answer, _, err := PreToolUse(s.state, data)
		if err != nil || answer.Did() != c.want {
			t.Errorf("%s %v: %s %v, want %s", c.tool, c.input, answer.Did(), err, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	tools := []string{"Read", "Bash(git log *)"}
	for _, c := range []struct {
		tool, command, want string
		code                int
	}{
		{"Bash", "git log -3", "{}", exitAnswered},
		{"Bash", "git status", "follows none of them", exitAnswered},
		{"Read", "", "{}", exitAnswered},
		{"", "", "", ExitUndecided},
	} {
		data := []byte("no event")
		if c.tool != "" {
			data = event(t, map[string]any{
				"session_id": session, "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": c.tool,
				"tool_input": map[string]any{"command": c.command}, "tool_use_id": "t1",
			})
		}
		var out, problems bytes.Buffer
		if code := Keep(tools, bytes.NewReader(data), &out, &problems); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s %q: %d %s %s", c.tool, c.command, code, out.String(), problems.String())
		}
	}
}
