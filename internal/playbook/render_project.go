package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// renderProject writes what only a playbook has that drives a project.
func renderProject(root mapping, p core.Playbook) error {
	m := p.Project
	if m.Waves != nil {
		return renderWaves(root, p)
	}
	defaults := newMap().flow()
	defaults.number("attempts", m.Attempts)
	defaults.duration("timeout", m.Timeout)
	root.put("defaults", defaults.node)
	if role := m.Roles[core.KindPlan]; role != "" {
		plan := newMap().flow()
		plan.text("role", role)
		plan.text("gate", string(m.PlanGate))
		root.put("plan", plan.node)
	}
	if p.Kind == KindManager {
		root.put("manager", renderManager(m))
	}
	steps := newMap()
	steps.text("role", m.Roles[core.KindCode])
	steps.texts("specialists", specialists(p))
	if err := renderDone(steps, m.Done); err != nil {
		return err
	}
	if p.Kind != KindManager {
		steps.put("review", renderReview(m.Review))
		steps.number("rounds", m.Rounds)
	}
	steps.text("reviewer", m.Roles[core.KindReview])
	steps.text("fixer", m.Roles[core.KindFix])
	steps.text("resolver", m.Roles[core.KindResolve])
	root.put("steps", steps.node)
	root.put("publish", renderPublish(m))
	return nil
}

func renderPublish(m *core.Management) *yaml.Node {
	publish := newMap().flow()
	publish.text("push", string(m.Push))
	publish.text("base", m.Base)
	return publish.node
}

// specialists are the roles that are there for steps whose plan names them.
func specialists(p core.Playbook) []string {
	assigned := slices.Collect(maps.Values(p.Project.Roles))
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		if !slices.Contains(assigned, name) {
			names = append(names, name)
		}
	}
	return names
}

func renderReview(rule core.ReviewRule) *yaml.Node {
	if rule.When != core.ReviewPaths {
		return scalar(string(rule.When))
	}
	m := newMap().flow()
	m.texts("paths", rule.Paths)
	return m.node
}

func renderManager(m *core.Management) *yaml.Node {
	manager := newMap().flow()
	manager.text("role", m.Roles[core.KindManage])
	if m.Watch != nil {
		watchdog := newMap().flow()
		watchdog.duration("every", m.Watch.Every)
		watchdog.duration("silent", m.Watch.Silent)
		manager.put("watchdog", watchdog.node)
	}
	if m.Reviews > 0 {
		manager.number("reviews", m.Reviews)
	}
	return manager.node
}
