package playbook

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Defaults and bounds of a run in waves.
const (
	DefaultWaves       = 10
	DefaultDelegations = 20
	maxWaves           = 100
	maxDelegations     = 100
)

// plannerField says who splits the goal and closes each wave.
func (p *parser) plannerField(m *core.Management) yamlfile.Field {
	return yamlfile.Group("planner", "Who splits the goal into delegations and closes each wave.", yamlfile.Fields{
		p.worker("role", "The planner; it does none of the work.", m, core.KindWave).
			Need("name the role that plans and delegates, such as wave-planner"),
	}, nil).InOneLine().Need("say who splits the goal into delegations: {role: wave-planner}")
}

// wavesField says what is delegated, to whom, and how far it may go.
func (p *parser) wavesField(m *core.Management) yamlfile.Field {
	w := m.Waves
	notPlanner := func(v yamlfile.Value, name string) bool {
		if name == m.Roles[core.KindWave] {
			v.Fail("the role "+yamlfile.Quote(name)+" is the planner's, and a planner does no work itself", "name another role")
		}
		return true
	}
	return yamlfile.Group("waves", "What is delegated, to whom, and how far it may go.", yamlfile.Fields{
		yamlfile.At("writes", "artifacts: workers hand in documents and change nothing. code: each works on a branch, too, which is merged. artifacts unless set.",
			&w.Writes, yamlfile.OneOf(core.WritesArtifacts, core.WritesCode)),
		p.rolesField("workers", "The roles that may be delegated to; all under roles but the planner's unless set.", m, notPlanner),
		yamlfile.At("waves", "Waves at most; 10 unless set.", &w.Waves, yamlfile.Number(1, maxWaves)),
		yamlfile.At("delegations", "Delegations of one wave at most; 20 unless set.", &w.Delegations, yamlfile.Number(1, maxDelegations)),
		yamlfile.At("attempts", "For each piece of work; that of defaults unless set.", &m.Attempts, tries()),
		yamlfile.At("timeout", "For each attempt; that of defaults unless set.", &m.Timeout, span(maxTimeout)),
		p.doneField("Only with writes: code: holds of every worker's branch, and of every merge. The project's own build and test unless set.",
			&m.Done, &subject{merges: true}),
	}, func(o yamlfile.Object) { p.waves = o })
}

// settleWaves fills in defaults of the waves, and checks what concerns several fields.
func (p *parser) settleWaves(o yamlfile.Object, m *core.Management) {
	if _, ok := o.Get("waves"); ok && !p.waves.Is() {
		return // it is no map, which is reported already
	}
	p.settleWorkers(o, m)
	if m.Waves.Writes == core.WritesCode {
		p.settleWaveChecks(m)
		m.Push = cmp.Or(m.Push, core.PushAsk)
		return
	}
	if p.waves.Has("done") {
		p.waves.Key("done").Fail("these checks look at code, and the workers write none", "set writes: code, or remove done: a delegation's own criteria say when it is done")
	}
	if o.Has("publish") {
		o.Key("publish").Fail("there is nothing to publish: the workers write no code", "set writes: code under waves, or remove publish")
	}
}

// settleWorkers adds the roles that may be delegated to: those that are named, or else all that the playbook defines
// except the planner's.
func (p *parser) settleWorkers(o yamlfile.Object, m *core.Management) {
	planner, named := m.Roles[core.KindWave], p.waves.Has("workers")
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		if !named && name != planner {
			p.roleNamed(p.roles[name].key, name)
		}
	}
	if planner == "" { // which is reported already
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.used)) {
		if r := p.used[name]; name != planner {
			if place, inline := p.roles[name]; inline && r.Description == "" && len(r.Capabilities) == 0 {
				place.key.Warn("nothing tells the planner what the role is good for", "give it a description and capabilities")
			}
		}
	}
	if len(p.used) < 2 && !named {
		o.Value().Fail("there is nobody to delegate to", "name roles that work: waves: {workers: [researcher]}, or define them under roles")
	}
}

// settleWaveChecks fills in the checks of every worker's code and every merge: unless the file has some, the project's own
// commands.
func (p *parser) settleWaveChecks(m *core.Management) {
	if !p.waves.Has("done") {
		m.Done = p.opts.Commands.checks()
	}
	remarkOnChecks(p.waves, m.Done, "a worker's")
}

// checks are the commands by which a project builds and tests itself.
func (c Commands) checks() core.Check {
	all := core.Check{Kind: core.CheckAll}
	for _, run := range []string{c.Build, c.Test} {
		if run != "" {
			all.Of = append(all.Of, core.Check{Kind: core.CheckCommand, Run: run, Timeout: DefaultCommandTimeout})
		}
	}
	return all
}
