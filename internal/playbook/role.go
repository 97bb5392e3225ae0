package playbook

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// roleDraft is a role of the file and the places of its name and agent.
type roleDraft struct {
	core.Role
	key      yamlfile.Value
	agent    yamlfile.Value
	hasAgent bool
}

// roleFields describe a role.
func roleFields(r *roleDraft) yamlfile.Fields {
	afterModel := 3
	fields := slices.Insert(role.Fields(&r.Role), afterModel, tiersField("Models in place of model, if the run chose a tier.", &r.Tiers))
	return append(fields, yamlfile.At("prompt", "System prompt, Markdown.", &r.Prompt, yamlfile.AnyText))
}

// roleForm is the form of a role.
func roleForm() yamlfile.Form[roleDraft] {
	form := yamlfile.ObjectOf(roleFields, func(o yamlfile.Object, r *roleDraft) { r.agent, r.hasAgent = o.Get("agent") })
	read := form.Read
	form.Read = func(v yamlfile.Value) (roleDraft, bool) {
		r, ok := read(v)
		r.key = v.Key()
		return r, ok
	}
	return form
}

func readRoleName(v yamlfile.Value) (string, bool) {
	name, ok := v.Scalar()
	if ok && !role.ValidName(name) {
		v.Fail("is not a valid name for a role", idHint)
	}
	return name, ok
}

// roleField names a role that works in the phase.
func (p *parser) roleField(key, doc string, at *string, d *draft) yamlfile.Field {
	return yamlfile.At(key, doc, at, yamlfile.Word(roleName(), func(v yamlfile.Value) (string, bool) {
		r, ok := p.useRole(v)
		if ok {
			d.roles = append(d.roles, r)
		}
		return r.Name, ok
	}))
}

// useRole resolves a role that a phase names, and its agent.
func (p *parser) useRole(v yamlfile.Value) (core.Role, bool) {
	name, ok := v.Text()
	if !ok {
		return core.Role{}, false
	}
	return p.roleNamed(v, name)
}

// roleNamed resolves a role by its name; v is the place that asks for it.
func (p *parser) roleNamed(v yamlfile.Value, name string) (core.Role, bool) {
	if r, done := p.used[name]; done {
		return r, true
	}
	inline, isInline := p.roles[name]
	file, isFile := p.opts.Roles[name]
	if !isInline && !isFile {
		known := slices.AppendSeq(p.opts.Roles.Names(), maps.Keys(p.roles))
		v.Fail("unknown role "+yamlfile.Quote(name), yamlfile.Known(name, known))
		return core.Role{}, false
	}
	if file.Builtin() && inline.defines() {
		file = role.Role{}
	}
	r := overlay(file.Role, inline.Role)
	r.Name, r.Origin = name, file.Origin
	if !isFile || inline.defines() {
		r.Origin = p.out.Origin
	}
	var ok bool
	if r.Agent, ok = p.useAgent(v, inline, file); !ok {
		return core.Role{}, false
	}
	p.used[name] = r
	if len(inline.Tools) > 0 || r.Origin != role.OriginBuiltin {
		p.remarkOnTools(v, inline, r)
	}
	return r, true
}

// defines reports whether the file defines the role, rather than adjusting another one. Such a role takes nothing from a
// built-in role of the same name: its author may not know that one.
func (r *roleDraft) defines() bool { return r.Description != "" || r.Prompt != "" }

// remarkOnTools warns if the agent ignores the role's list of tools, or if the list lacks Bash, which a tool on it needs.
func (p *parser) remarkOnTools(v yamlfile.Value, inline roleDraft, r core.Role) {
	place := v
	if len(inline.Tools) > 0 {
		place = inline.key
	}
	own := func(t core.Tool) bool { return slices.Contains(r.Tools, t.Command()) }
	if at := slices.IndexFunc(core.Tools(), own); at >= 0 && !slices.ContainsFunc(r.Tools, isShell) {
		place.Warn("the tool "+core.Tools()[at].Command()+" is called by a command, and the role "+yamlfile.Quote(r.Name)+" has no Bash", "add Bash to its tools")
	}
	if len(r.Tools) == 0 || !agent.Opaque(p.out.Agents[r.Agent].Use) {
		return
	}
	place.Warn("the role "+yamlfile.Quote(r.Name)+" lists its tools, but the agent "+yamlfile.Quote(r.Agent)+" ignores the list: it may do anything that its isolation allows",
		"leave the list out, or use an agent that follows it")
}

func isShell(tool string) bool { return tool == "Bash" || strings.HasPrefix(tool, "Bash(") }

// overlay is base with every field that over sets.
func overlay(base, over core.Role) core.Role {
	list := func(b, o []string) []string {
		if len(o) > 0 {
			return o
		}
		return b
	}
	network := base.Network
	if !over.Network.IsZero() {
		network = over.Network
	}
	return core.Role{
		Network:     network,
		Description: cmp.Or(over.Description, base.Description), Model: cmp.Or(over.Model, base.Model),
		Color: cmp.Or(over.Color, base.Color), Prompt: cmp.Or(over.Prompt, base.Prompt),
		Tiers: over.Tiers, Tools: list(base.Tools, over.Tools), Capabilities: list(base.Capabilities, over.Capabilities),
	}
}

// useAgent finds the agent of a role. The first of these counts: the role in the playbook, the role's file, the playbook's
// default, the person's default, claude.
func (p *parser) useAgent(v yamlfile.Value, inline roleDraft, file role.Role) (string, bool) {
	place, name := v, DefaultAgent
	switch {
	case inline.hasAgent:
		place, name = inline.agent, inline.Agent
	case file.Agent != "":
		name = file.Agent
	case p.defaults.hasAgent:
		place = p.defaults.agent
		name, _ = place.Text()
	case p.opts.Agent != "":
		if _, known := p.findAgent(p.opts.Agent); !known {
			p.stray = true // this is no mistake in the file
			return "", false
		}
		name = p.opts.Agent
	}
	found, known := p.findAgent(name)
	if !known {
		message := "unknown agent " + yamlfile.Quote(name)
		if place == v {
			message = fmt.Sprintf("the role uses the unknown agent %q", name)
		}
		place.Fail(message, yamlfile.Known(name, p.agentNames()))
		return "", false
	}
	p.addAgent(name, found)
	return name, true
}

func (p *parser) findAgent(name string) (core.Agent, bool) {
	if a, ok := p.agents[name]; ok {
		return a.Agent, true
	}
	if a, ok := p.opts.Agents[name]; ok {
		return a, true
	}
	return core.Agent{Use: name}, name == useClaude
}

func (p *parser) agentNames() []string {
	names := map[string]bool{useClaude: true}
	for name := range p.agents {
		names[name] = true
	}
	for name := range p.opts.Agents {
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// addAgent puts an agent into the playbook.
func (p *parser) addAgent(name string, a core.Agent) {
	p.usedAgents[name] = true
	if a.Model == "" && a.Use == useClaude {
		if a.Model = p.defaults.model; a.Model == "" {
			a.Model = p.opts.Model
		}
	}
	if p.out.Agents == nil {
		p.out.Agents = map[string]core.Agent{}
	}
	p.out.Agents[name] = a
}
