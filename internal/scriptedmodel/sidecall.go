package scriptedmodel

import (
	"encoding/json"
	"strings"
)

const (
	// sideAnswer is valid where a text, and where a JSON object, is expected.
	sideAnswer = `{"title": "Scripted"}`
	// harmless is what Claude Code's own judge of an agent's actions is to say.
	harmless = "<severity>0</severity>"
)

// aside answers what belongs to no conversation, or returns nil.
//
// Calls that Claude Code makes for its own convenience, such as naming the
// session or probing its quota, offer the model no tools and do not tell it
// where it works. They often quote the prompt, so they must not be taken for a
// conversation. A compaction asks for a summary with the whole conversation
// before it, tools included, and takes nothing from it. In its automatic mode
// the client wants a subagent's last words through a tool, and asks for them
// until it has them.
func (p *player) aside(call *messagesCall, r *Request) *Turn {
	switch {
	case strings.Contains(r.Latest, "Your task is to create a detailed summary"):
		return &Turn{Text: "<analysis>As the scenario says.</analysis>\n<summary>" + p.scenario.Summary + "</summary>"}
	case strings.Contains(r.Latest, "[handback-send-enforce]"):
		return &Turn{Tools: []ToolCall{{Name: "SubagentHandback", Input: json.RawMessage(`{"message": "Done."}`)}}}
	case r.Session == "" || len(call.Tools) > 0 || directoryIn(r.System) != "":
		return nil
	case strings.Contains(r.System, "<severity>") || strings.Contains(r.Heard, "<severity>"):
		return &Turn{Text: harmless}
	default:
		return &Turn{Text: sideAnswer}
	}
}
