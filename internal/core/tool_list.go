package core

import (
	"cmp"
	"slices"
)

// Tools are the agent-side tools of Stellwerk itself.
func Tools() []Tool { return []Tool{ToolDelegate, ToolMessage, ToolPlan, ToolQuestion, ToolDetail} }

// Command is the program on an attempt's PATH that calls the tool, and the name
// by which a role's list of tools grants it.
func (t Tool) Command() string {
	return cmp.Or(toolCommands[t], string(t))
}

var toolCommands = map[Tool]string{
	ToolDelegate: "delegate-to-red",
	ToolMessage:  "send-message",
	ToolPlan:     "update-plan",
	ToolQuestion: "request-clarification",
	ToolDetail:   "fetch-detail",
}

// Grants reports whether the role's list leaves its agents one of Stellwerk's own
// tools. A list that names none of them is about the program's tools only: the
// law alone says then who may use which.
func (r Role) Grants(tool Tool) bool {
	named := func(t Tool) bool { return slices.Contains(r.Tools, t.Command()) }
	return named(tool) || !slices.ContainsFunc(Tools(), named)
}
