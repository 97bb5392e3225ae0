package scriptedmodel

import "strings"

const (
	// sideAnswer is valid where a text, and where a JSON object, is expected.
	sideAnswer = `{"title": "Scripted"}`
	// harmless is what Claude Code's own judge of an agent's actions is to say.
	harmless = "<severity>0</severity>"
)

// aside answers what belongs to no conversation, or returns "".
//
// Calls that Claude Code makes for its own convenience, such as naming the
// session or probing its quota, offer the model no tools and do not tell it
// where it works. They often quote the prompt, so they must not be taken for a
// conversation. A compaction asks for a summary with the whole conversation
// before it, tools included, and takes nothing from it.
func (p *player) aside(call *messagesCall, r *Request) string {
	switch {
	case strings.Contains(r.Latest, "Your task is to create a detailed summary"):
		return "<analysis>As the scenario says.</analysis>\n<summary>" + p.scenario.Summary + "</summary>"
	case r.Session == "" || len(call.Tools) > 0 || directoryIn(r.System) != "":
		return ""
	case strings.Contains(r.System, "<severity>") || strings.Contains(r.Heard, "<severity>"):
		return harmless
	default:
		return sideAnswer
	}
}
