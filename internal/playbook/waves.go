package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// How far a run in waves may go, where a playbook does not say.
const (
	DefaultWaves       = 10
	DefaultDelegations = 20
	maxWaves           = 100
	maxDelegations     = 100
)

func plannerKeys() []string { return []string{"role"} }

func wavesKeys() []string {
	return []string{"writes", "workers", "waves", "delegations", "done", "attempts", "timeout"}
}

// readWaves reads how a goal is worked off in waves: who plans, who may be delegated to, and how far it may go. Nothing is
// reviewed or begun anew without the planner's word.
func (p *parser) readWaves(o yamlfile.Object) {
	rules := &core.WaveRules{Writes: core.WritesArtifacts, Waves: DefaultWaves, Delegations: DefaultDelegations}
	m := &core.Management{
		Roles: map[core.TaskKind]string{}, Done: core.Check{Kind: core.CheckAll}, Review: core.ReviewRule{When: core.ReviewNever},
		Attempts: p.defaults.attempts, Rounds: 1, Timeout: p.defaults.timeout, Waves: rules,
	}
	p.out.Project = m
	p.readPlanner(o, m)
	waves := yamlfile.Object{}
	if v, ok := o.Get("waves"); ok {
		if waves, ok = v.Object(wavesKeys()...); !ok {
			return
		}
		p.readWaveRules(waves, m)
	}
	p.readWorkers(o, waves, m)
	p.readWaveChecks(waves, m)
	p.readWavePublish(o, m)
}

// readPlanner reads who splits the goal and closes each wave.
func (p *parser) readPlanner(o yamlfile.Object, m *core.Management) {
	v, ok := o.Need("planner", "say who splits the goal into delegations: {role: wave-planner}")
	if !ok {
		return
	}
	planner, ok := v.Object(plannerKeys()...)
	if !ok {
		return
	}
	if v, ok := planner.Need("role", "name the role that plans and delegates, such as wave-planner"); ok {
		p.assign(v, m, core.KindWave)
	}
}

func (p *parser) readWaveRules(o yamlfile.Object, m *core.Management) {
	if v, ok := o.Get("writes"); ok {
		if writes, ok := v.Choice(string(core.WritesArtifacts), string(core.WritesCode)); ok {
			m.Waves.Writes = core.Writes(writes)
		}
	}
	if v, ok := o.Get("waves"); ok {
		m.Waves.Waves, _ = v.Int(1, maxWaves)
	}
	if v, ok := o.Get("delegations"); ok {
		m.Waves.Delegations, _ = v.Int(1, maxDelegations)
	}
	m.Attempts, m.Timeout = attempts(o, m.Attempts), timeout(o, m.Timeout, maxTimeout)
}

// readWorkers reads the roles that may be delegated to: those that are named, or else all that the playbook defines but
// the planner's. Nothing but their place among the playbook's roles says so.
func (p *parser) readWorkers(o, waves yamlfile.Object, m *core.Management) {
	planner := m.Roles[core.KindWave]
	if !waves.Has("workers") {
		p.defaultWorkers(planner)
	} else if v, ok := waves.Get("workers"); ok {
		p.namedWorkers(v, planner)
	}
	if planner == "" { // which was said already
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.used)) {
		if r := p.used[name]; name != planner {
			if place, inline := p.roles[name]; inline && r.Description == "" && len(r.Capabilities) == 0 {
				place.key.Warn("nothing tells the planner what the role is good for", "give it a description and capabilities")
			}
		}
	}
	if len(p.used) < 2 && !waves.Has("workers") {
		o.Value().Fail("there is nobody to delegate to", "name roles that work: waves: {workers: [researcher]}, or define them under roles")
	}
}

func (p *parser) defaultWorkers(planner string) {
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		if name != planner {
			p.roleNamed(p.roles[name].key, name)
		}
	}
}

func (p *parser) namedWorkers(v yamlfile.Value, planner string) {
	var names []string
	for _, item := range v.Each() {
		r, ok := p.useRole(item)
		switch {
		case !ok:
			continue
		case r.Name == planner:
			item.Fail("the role "+quote(r.Name)+" is the planner's, and a planner does no work itself", "name another role")
		case slices.Contains(names, r.Name):
			item.Fail("the role "+quote(r.Name)+" is listed twice", "")
		}
		names = append(names, r.Name)
	}
}

// readWaveChecks reads what holds of every worker's code and of every merge. Where that is not said, the project's own
// commands must succeed.
func (p *parser) readWaveChecks(waves yamlfile.Object, m *core.Management) {
	if m.Waves.Writes != core.WritesCode {
		if waves.Has("done") {
			waves.Key("done").Fail("these checks are of code, and the workers write none", "set writes: code, or remove done: a delegation's own criteria say when it is done")
		}
		return
	}
	if v, ok := waves.Get("done"); ok {
		m.Done = p.done(v, &subject{merges: true})
	} else if !waves.Has("done") {
		m.Done = p.opts.Commands.checks()
	}
	switch {
	case len(m.Done.Of) == 0:
		waves.Value().Warn("no check looks at a worker's branch or at a merge", "give done a command that builds and tests the project")
	case !mentions(m.Done, core.CheckCommand):
		waves.Key("done").Warn("nothing builds or tests a worker's branch or a merge", "add a command check")
	}
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

func (p *parser) readWavePublish(o yamlfile.Object, m *core.Management) {
	v, ok := o.Get("publish")
	if m.Waves.Writes == core.WritesCode {
		m.Push = core.PushAsk
		if ok {
			readPublish(v, m)
		}
		return
	}
	if o.Has("publish") {
		o.Key("publish").Fail("there is nothing to publish: the workers write no code", "set writes: code under waves, or remove publish")
	}
}
