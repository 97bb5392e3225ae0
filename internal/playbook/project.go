package playbook

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// DefaultRounds is how often a step is begun, where a playbook does not say.
const DefaultRounds = 2

// readProject reads how a project is driven.
func (p *parser) readProject(o yamlfile.Object) {
	m := &core.Management{
		Roles: map[core.TaskKind]string{}, Done: core.Check{Kind: core.CheckAll}, Review: core.ReviewRule{When: core.ReviewAlways},
		Push: core.PushAsk, Attempts: p.defaults.attempts, Rounds: DefaultRounds, Timeout: p.defaults.timeout,
	}
	p.out.Project = m
	if p.out.Kind == KindManager {
		p.readManager(o, m)
	} else if v, ok := o.Get("plan"); ok {
		p.readPlan(v, m)
	}
	if v, ok := o.Need("steps", "say who does the steps of the plan, and what must hold of them"); ok {
		p.readSteps(v, m)
	}
	if v, ok := o.Get("publish"); ok {
		readPublish(v, m)
	}
}

func planKeys() []string { return []string{"role", "gate"} }

// readPlan reads who writes a plan where there is none, and who lets it pass.
func (p *parser) readPlan(v yamlfile.Value, m *core.Management) {
	o, ok := v.Object(planKeys()...)
	if !ok {
		return
	}
	if v, ok := o.Need("role", "name the role that writes the plan"); ok {
		p.assign(v, m, core.KindPlan)
	}
	m.PlanGate = core.GateAuto
	if v, ok := o.Get("gate"); ok {
		gate, _ := v.Choice(string(core.GateAuto), string(core.GateApproval))
		m.PlanGate = core.GateKind(gate)
	}
}

func stepsKeys() []string {
	return []string{"role", "specialists", "done", "review", "reviewer", "fixer", "resolver", "rounds"}
}

func (p *parser) readSteps(v yamlfile.Value, m *core.Management) {
	o, ok := v.Object(stepsKeys()...)
	if !ok {
		return
	}
	if v, ok := o.Need("role", "name the role that does a step"); ok {
		p.assign(v, m, core.KindCode, core.KindFix, core.KindResolve)
		if p.out.Kind == KindManager {
			p.assign(v, m, core.KindWork)
		}
	}
	if v, ok := o.Get("fixer"); ok {
		p.assign(v, m, core.KindFix)
	}
	if v, ok := o.Get("resolver"); ok {
		p.assign(v, m, core.KindResolve)
	}
	p.readSpecialists(o, m)
	if v, ok := o.Get("reviewer"); ok {
		p.assign(v, m, core.KindReview)
	}
	if p.out.Kind == KindManager {
		leaveToManager(o)
	} else {
		readReview(o, m)
	}
	if v, ok := o.Get("done"); ok {
		m.Done = p.done(v, &subject{merges: true})
	}
	switch {
	case len(m.Done.Of) == 0:
		o.Value().Warn("no check looks at a step's branch or at a merge", "give done a command that builds and tests the project")
	case !mentions(m.Done, core.CheckCommand):
		o.Key("done").Warn("nothing builds or tests a step's branch or a merge", "add a command check")
	}
}

// assign gives kinds of tasks to the role that a value names.
func (p *parser) assign(v yamlfile.Value, m *core.Management, kinds ...core.TaskKind) {
	r, ok := p.useRole(v)
	if !ok || isManager(v, r.Name, m) {
		return
	}
	for _, kind := range kinds {
		m.Roles[kind] = r.Name
	}
}

// readSpecialists reads the roles that a step of the plan may name in place of the one that does the others. Nothing but
// their place among the playbook's roles says so: a plan can name whatever a person trusted with the playbook.
func (p *parser) readSpecialists(o yamlfile.Object, m *core.Management) {
	v, ok := o.Get("specialists")
	if !ok {
		return
	}
	var names []string
	for _, item := range v.Each() {
		r, ok := p.useRole(item)
		switch {
		case !ok || isManager(item, r.Name, m):
			continue
		case slices.Contains(names, r.Name):
			item.Fail("the role "+quote(r.Name)+" is listed twice", "")
		case r.Name == m.Roles[core.KindCode]:
			item.Fail("the role "+quote(r.Name)+" does every step that names no other", "remove it from the list")
		}
		names = append(names, r.Name)
	}
}

func reviewKeys() []string { return []string{"paths"} }

// readReview reads which steps are reviewed, and how often a rejected one is begun. A reviewer who is named although no
// step is reviewed is there for the steps whose plan asks for a review.
func readReview(o yamlfile.Object, m *core.Management) {
	if v, ok := o.Get("review"); ok {
		m.Review = readReviewRule(v)
	}
	if m.Review.When == core.ReviewAlways || m.Review.When == core.ReviewPaths {
		o.Need("reviewer", "name the role that reviews, or set review: never")
	}
	if v, ok := o.Get("rounds"); ok {
		m.Rounds, _ = v.Int(1, maxAttempts)
	}
}

func readReviewRule(v yamlfile.Value) core.ReviewRule {
	if !v.IsMap() {
		when, _ := v.Choice(string(core.ReviewAlways), string(core.ReviewNever))
		return core.ReviewRule{When: core.ReviewWhen(when)}
	}
	rule := core.ReviewRule{When: core.ReviewPaths}
	o, _ := v.Object(reviewKeys()...)
	paths, ok := o.Need("paths", "name the files whose change is reviewed")
	if !ok {
		return rule
	}
	for _, item := range paths.Each() {
		pattern, ok := glob(item)
		if !ok {
			continue
		}
		if !matchable(pattern) {
			item.Fail("the glob "+quote(pattern)+" is too long or has too many alternatives", "split it into several")
			continue
		}
		if rule.Paths = append(rule.Paths, pattern); !matchable(rule.Paths...) {
			item.Fail("these are more globs than are looked at", "name whole folders: internal/**")
			break
		}
	}
	return rule
}

// matchable reports globs within the limits that evaluating has.
func matchable(globs ...string) bool {
	return check.Validate(core.Check{Kind: core.CheckChanged, Globs: globs}) == nil
}

func publishKeys() []string { return []string{"push", "base"} }

// readPublish reads who lets the run's branch be pushed, and where its pull request goes.
func readPublish(v yamlfile.Value, m *core.Management) {
	o, ok := v.Object(publishKeys()...)
	if !ok {
		return
	}
	m.Base = branch(o, "base")
	if v, ok := o.Get("push"); ok {
		push, _ := v.Choice(string(core.PushAsk), string(core.PushStanding))
		m.Push = core.PushRule(push)
	}
}
