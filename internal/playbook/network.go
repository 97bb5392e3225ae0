package playbook

import (
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// readReaches reads the lists of a playbook. One list alone is that of the attempts.
func readReaches(o yamlfile.Object) core.Reaches {
	v, ok := o.Get("network")
	if !ok {
		return core.Reaches{}
	}
	if !v.IsMap() {
		return core.Reaches{Attempts: readReach(o, "network")}
	}
	lists, ok := v.Object("attempts", "setup", "checks")
	if !ok {
		return core.Reaches{}
	}
	return core.Reaches{Attempts: readReach(lists, "attempts"), Setup: readReach(lists, "setup"), Checks: readReach(lists, "checks")}
}

// readReach reads one list.
func readReach(o yamlfile.Object, key string) core.Reach {
	if v, ok := o.Get(key); ok {
		return role.Network(v)
	}
	return core.Reach{}
}

// reach writes one list.
func (m mapping) reach(key string, r core.Reach) {
	if r.None {
		m.text(key, role.NetworkNone)
	}
	m.texts(key, r.Names)
}

// reaches writes the lists of a playbook.
func (m mapping) reaches(key string, r core.Reaches) {
	lists := newMap()
	lists.reach("attempts", r.Attempts)
	lists.reach("setup", r.Setup)
	lists.reach("checks", r.Checks)
	if len(lists.node.Content) > 0 {
		m.put(key, lists.node)
	}
}
