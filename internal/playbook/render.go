package playbook

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// Render writes a playbook as YAML with everything in it that is in force: defaults, roles, agents and implied checks.
// Parsing the result gives the same playbook, but for its hash and origin.
func Render(p core.Playbook) ([]byte, error) {
	root := newMap()
	root.text("name", p.Name)
	root.text("kind", p.Kind)
	root.text("description", p.Description)
	if len(p.Agents) > 0 {
		agents := newMap()
		for _, name := range slices.Sorted(maps.Keys(p.Agents)) {
			agents.put(name, renderAgent(p.Agents[name]))
		}
		root.put("agents", agents.node)
	}
	if len(p.Roles) > 0 {
		roles := newMap()
		for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
			roles.put(name, renderRole(p.Roles[name]))
		}
		root.put("roles", roles.node)
	}
	root.tiers(p.Tiers)
	root.text("setup", p.Setup)
	root.reaches("network", p.Network)
	root.list("cache", len(p.Caches), func(i int) *yaml.Node {
		m := newMap().flow()
		m.texts("key", p.Caches[i].Key)
		m.text("path", p.Caches[i].Path)
		return m.node
	})
	if p.Project != nil {
		if err := renderProject(root, p); err != nil {
			return nil, err
		}
		return encode(root.node)
	}
	phases := &yaml.Node{Kind: yaml.SequenceNode}
	for _, phase := range p.Phases {
		node, err := renderPhase(phase)
		if err != nil {
			return nil, err
		}
		phases.Content = append(phases.Content, node)
	}
	root.put("phases", phases)
	return encode(root.node)
}

func encode(node *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return nil, fmt.Errorf("write the playbook as YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write the playbook as YAML: %w", err)
	}
	return b.Bytes(), nil
}

func renderAgent(a core.Agent) *yaml.Node {
	m := newMap()
	m.text("use", a.Use)
	m.texts("run", a.Run)
	m.text("model", a.Model)
	options := maps.Clone(a.Options)
	if scenario := options[agent.OptionScenario]; a.Use == useScripted && escapes(scenario) == "" {
		m.text("scenario", scenario)
		delete(options, agent.OptionScenario)
	}
	m.textMap("options", options)
	m.textMap("env", a.Env)
	m.texts("secrets", a.Secrets)
	return m.node
}

func renderRole(r core.Role) *yaml.Node {
	m := newMap()
	m.text("description", r.Description)
	m.text("agent", r.Agent)
	m.text("model", r.Model)
	m.tiers(r.Tiers)
	m.text("color", r.Color)
	m.texts("tools", r.Tools)
	m.texts("capabilities", r.Capabilities)
	m.reach("network", r.Network)
	m.text("prompt", r.Prompt)
	return m.node
}

func renderPhase(p core.Phase) (*yaml.Node, error) {
	m := newMap()
	m.text("id", p.ID)
	m.text("title", p.Title)
	m.text("role", p.Role)
	if p.Team != nil {
		m.put("team", renderTeam(p.Team))
	}
	m.text("act", string(p.Act))
	m.text("base", p.Base)
	m.text("prompt", p.Prompt)
	m.flag("skip", p.Skip)
	m.flag("skippable", p.Skippable)
	m.flag("verify_first", p.VerifyFirst)
	m.text("when", p.When)
	m.texts("needs", p.Needs)
	m.reach("network", p.Network)
	if p.Act == "" {
		m.text("writes", string(p.Writes))
	}
	m.list("inputs", len(p.Inputs), func(i int) *yaml.Node { return renderInput(p.Inputs[i]) })
	m.texts("outputs", p.Outputs)
	if err := renderDone(m, p.Done); err != nil {
		return nil, err
	}
	m.text("gate", string(p.Gate))
	m.text("findings", string(p.Findings))
	m.number("findings_rounds", p.FindingsRounds)
	if p.Rollback != nil {
		m.put("rollback", renderRollback(p.Rollback))
	}
	m.number("attempts", p.Attempts)
	m.duration("timeout", p.Timeout)
	return m.node, nil
}

func renderTeam(t *core.Team) *yaml.Node {
	m := newMap().flow()
	m.texts("spokes", t.Spokes)
	if len(t.Optional) > 0 {
		optional := newMap().flow()
		for _, role := range slices.Sorted(maps.Keys(t.Optional)) {
			optional.text(role, string(t.Optional[role]))
		}
		m.put("optional", optional.node)
	}
	m.text("hub", t.Hub)
	switch t.Fallback {
	case t.Hub: // what holds where nothing is said
	case "":
		m.text("fallback", noFallback)
	default:
		m.text("fallback", t.Fallback)
	}
	return m.node
}

func renderInput(in core.Input) *yaml.Node {
	if !in.Optional {
		return scalar(in.Name)
	}
	m := newMap().flow()
	if in.Files != "" {
		m.text("files", in.Files)
		return m.node
	}
	m.text("name", in.Name)
	m.flag("optional", true)
	return m.node
}

func renderRollback(r *core.Rollback) *yaml.Node {
	m := newMap()
	rules := func(key string, rules []core.RollbackRule) {
		if len(rules) == 0 {
			return
		}
		inner := newMap()
		for _, rule := range rules {
			inner.text(rule.Match, rule.Stage)
		}
		m.put(key, inner.node)
	}
	rules("types", r.Types)
	rules("paths", r.Paths)
	m.text("default", r.Default)
	return m.node
}
