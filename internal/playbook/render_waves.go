package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// renderWaves writes what only a playbook of kind waves has.
func renderWaves(root mapping, p core.Playbook) error {
	m := p.Project
	planner := newMap().flow()
	planner.text("role", m.Roles[core.KindWave])
	root.put("planner", planner.node)
	waves := newMap()
	waves.text("writes", string(m.Waves.Writes))
	waves.texts("workers", workers(p))
	waves.number("waves", m.Waves.Waves)
	waves.number("delegations", m.Waves.Delegations)
	waves.number("attempts", m.Attempts)
	waves.duration("timeout", m.Timeout)
	if err := renderDone(waves, m.Done); err != nil {
		return err
	}
	root.put("waves", waves.node)
	if m.Waves.Writes == core.WritesCode {
		root.put("publish", renderPublish(m))
	}
	return nil
}

// workers are the roles that may be delegated to.
func workers(p core.Playbook) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.Roles)), func(name string) bool { return name == p.Project.Roles[core.KindWave] })
}
