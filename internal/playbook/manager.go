package playbook

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Defaults of the watchdog, which wakes a manager when nothing has happened.
const (
	DefaultWatchEvery  = 5 * time.Minute
	DefaultWatchSilent = 10 * time.Minute
)

// DefaultReviews is how often a manager may have a line reviewed, and how often fixed, before a person is asked.
const DefaultReviews = 5

// managerField holds who manages a project. The manager decides what the kind rules decides by its table: nothing is
// reviewed or started over unless it says so.
func (p *parser) managerField(m *core.Management) yamlfile.Field {
	watch := m.Watch
	if watch == nil { // of a playbook that was kept before there was a watchdog
		watch = &core.Watch{}
	}
	return yamlfile.Group("manager", "Who plans the project and delegates its work.", yamlfile.Fields{
		p.worker("role", "The manager; it does none of the work.", m, core.KindManage).
			Need("name the role that plans and delegates, such as project-manager"),
		yamlfile.Group("watchdog", "Wakes the manager although nothing has happened.", yamlfile.Fields{
			yamlfile.At("every", "Polling interval; 5m unless set.", &watch.Every, span(maxTimeout)),
			yamlfile.At("silent", "How long nothing must have happened, with nothing under way; 10m unless set.", &watch.Silent, span(maxTimeout)),
		}, nil).InOneLine(),
		yamlfile.At("reviews", "How often a line is reviewed, and how often fixed, before a person is asked; 5 unless set.", &m.Reviews, tries()),
	}, nil).InOneLine().Need("say who manages the project: {role: project-manager}")
}

// leaveToManager reports keys of the steps that only the kind rules has.
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

// isManager reports a problem if a worker's role is the manager's: another role must do the work, or the one who asks for
// changes would make them.
func isManager(v yamlfile.Value, role string, m *core.Management) bool {
	if role != m.Roles[core.KindManage] {
		return false
	}
	v.Fail("the role "+yamlfile.Quote(role)+" is the manager's, and a manager does no work itself", "name another role")
	return true
}
