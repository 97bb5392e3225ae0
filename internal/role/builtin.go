package role

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/plugin"
)

// Builtin are the roles that come with the program: the plugin's agents, but for the one that stands in for roles of
// others.
func Builtin() Set {
	set, err := Load(plugin.Files(), plugin.Agents)
	if err != nil {
		panic("role: a built-in role is not valid: " + err.Error())
	}
	delete(set, plugin.Worker)
	for name, r := range set {
		r.Origin = OriginBuiltin
		set[name] = r
	}
	return set
}

// AgentType is the name under which Claude Code, with the plugin, knows an agent for the role, and whether that agent is
// told the role's text by its own file. Every role that is not a built-in one word for word is done by an agent that must
// be told: only model and colour may differ, which do not say what it is to be.
func AgentType(r core.Role) (name string, told bool) {
	own, ok := Builtin()[r.Name]
	if ok && own.Prompt == r.Prompt && slices.Equal(own.Tools, r.Tools) {
		return plugin.Name + ":" + r.Name, true
	}
	return plugin.Name + ":" + plugin.Worker, false
}
