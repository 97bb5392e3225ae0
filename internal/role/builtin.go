package role

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/plugin"
)

// headless are the roles that no session of Claude Code plays, so the plugin does not have them.
//
//go:embed builtin/*.md
var headless embed.FS

// Builtin are the roles that come with the program: the plugin's agents, and those that only headless runs have.
func Builtin() Set { return mustLoad(headless, "builtin").Over(played()) }

// played are the plugin's agents, except the one that stands in for other roles.
func played() Set {
	set := mustLoad(plugin.Files(), plugin.Agents)
	delete(set, plugin.Worker)
	return set
}

// mustLoad reads roles that are part of the program.
func mustLoad(fsys fs.FS, dir string) Set {
	set, err := Load(fsys, dir)
	if err != nil {
		panic("role: a built-in role is not valid: " + err.Error())
	}
	for name, r := range set {
		r.Origin = OriginBuiltin
		set[name] = r
	}
	return set
}

// AgentType is the name of the plugin's agent for the role, and whether that agent's file has the role's text. A role that
// differs from the plugin's in more than model and colour is done by a general agent, which must be given the text.
func AgentType(r core.Role) (name string, told bool) {
	own, ok := played()[r.Name]
	if ok && own.Prompt == r.Prompt && slices.Equal(own.Tools, r.Tools) {
		return plugin.Name + ":" + r.Name, true
	}
	return plugin.Name + ":" + plugin.Worker, false
}
