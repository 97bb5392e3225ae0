package playbook

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// When a manager is woken although nothing has happened, where a playbook does not say.
const (
	DefaultWatchEvery  = 5 * time.Minute
	DefaultWatchSilent = 10 * time.Minute
)

// DefaultReviews is how often a manager has a line reviewed, and how often fixed, before a person is asked.
const DefaultReviews = 5

func managerKeys() []string { return []string{"role", "watchdog", "reviews"} }

// readManager reads who manages a project. What the table of the kind rules decides by a number or a rule is the
// manager's to decide: nothing is reviewed or begun anew without its word.
func (p *parser) readManager(o yamlfile.Object, m *core.Management) {
	m.Review, m.Rounds, m.Reviews = core.ReviewRule{When: core.ReviewNever}, 1, DefaultReviews
	m.Watch = &core.Watch{Every: DefaultWatchEvery, Silent: DefaultWatchSilent}
	v, ok := o.Need("manager", "say who manages the project: {role: project-manager}")
	if !ok {
		return
	}
	manager, ok := v.Object(managerKeys()...)
	if !ok {
		return
	}
	if v, ok := manager.Need("role", "name the role that plans and delegates, such as project-manager"); ok {
		p.assign(v, m, core.KindManage)
	}
	if v, ok := manager.Get("watchdog"); ok {
		readWatchdog(v, m.Watch)
	}
	if v, ok := manager.Get("reviews"); ok {
		m.Reviews, _ = v.Int(1, maxAttempts)
	}
}

func watchdogKeys() []string { return []string{"every", "silent"} }

func readWatchdog(v yamlfile.Value, w *core.Watch) {
	o, ok := v.Object(watchdogKeys()...)
	if !ok {
		return
	}
	w.Every = span(o, "every", DefaultWatchEvery, maxTimeout)
	w.Silent = span(o, "silent", DefaultWatchSilent, maxTimeout)
}

// leaveToManager reports keys of the steps that only a table of rules goes by.
func leaveToManager(o yamlfile.Object) {
	for key, hint := range map[string]string{
		"review": "remove it: the manager asks for reviews itself, of the role that reviewer names",
		"rounds": "remove it: the manager decides what is begun anew",
	} {
		if o.Has(key) {
			o.Key(key).Fail("a playbook of kind "+KindManager+" has no "+key+" of steps", hint)
		}
	}
}

// isManager reports, as a problem, a role that is to work and manages already: what is delegated must be done by
// somebody else, or the one who asks for changes would make them.
func isManager(v yamlfile.Value, role string, m *core.Management) bool {
	if role != m.Roles[core.KindManage] {
		return false
	}
	v.Fail("the role "+quote(role)+" is the manager's, and a manager does no work itself", "name another role")
	return true
}
