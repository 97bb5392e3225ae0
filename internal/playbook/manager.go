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

// managerField holds who manages a project. What the table of the kind rules decides by a number or a rule is the
// manager's to decide: nothing is reviewed or begun anew without its word.
func (p *parser) managerField(m *core.Management) yamlfile.Field {
	watch := m.Watch
	if watch == nil { // of a playbook that was kept before there was a watchdog
		watch = &core.Watch{}
	}
	return yamlfile.Group("manager", "Who plans the project and delegates its work.", yamlfile.Fields{
		p.worker("role", "The manager; it does none of the work.", m, core.KindManage).
			Need("name the role that plans and delegates, such as project-manager"),
		yamlfile.Group("watchdog", "Wakes the manager although nothing has happened.", yamlfile.Fields{
			yamlfile.At("every", "How often is looked; 5m unless set.", &watch.Every, span(maxTimeout)),
			yamlfile.At("silent", "How long nothing must have happened, with nothing under way; 10m unless set.", &watch.Silent, span(maxTimeout)),
		}, nil).InOneLine(),
		yamlfile.At("reviews", "How often a line is reviewed, and how often fixed, before a person is asked; 5 unless set.", &m.Reviews, tries()),
	}, nil).InOneLine().Need("say who manages the project: {role: project-manager}")
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
	v.Fail("the role "+yamlfile.Quote(role)+" is the manager's, and a manager does no work itself", "name another role")
	return true
}
