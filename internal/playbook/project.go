package playbook

import (
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// DefaultRounds is how often a step is started, unless a playbook says otherwise.
const DefaultRounds = 2

// newManagement holds the defaults of a kind.
func newManagement(kind string, d defaults) *core.Management {
	m := &core.Management{
		Roles: map[core.TaskKind]string{}, Done: core.Check{Kind: core.CheckAll}, Review: core.ReviewRule{When: core.ReviewNever},
		Push: core.PushAsk, Attempts: d.attempts, Rounds: 1, Timeout: d.timeout,
	}
	switch kind {
	case KindRules:
		m.Review.When, m.Rounds = core.ReviewAlways, DefaultRounds
	case KindManager:
		m.Reviews, m.Watch = DefaultReviews, &core.Watch{Every: DefaultWatchEvery, Silent: DefaultWatchSilent}
	case KindWaves:
		m.Push = ""
		m.Waves = &core.WaveRules{Writes: core.WritesArtifacts, Waves: DefaultWaves, Delegations: DefaultDelegations}
	}
	return m
}

// planField holds who writes a plan if there is none, and who approves it.
func (p *parser) planField(m *core.Management) yamlfile.Field {
	return yamlfile.Group("plan", "Who writes .ai/plan.md if there is none, and who approves it.", yamlfile.Fields{
		p.worker("role", "", m, core.KindPlan).Need("name the role that writes the plan"),
		yamlfile.At("gate", "", &m.PlanGate, gates()),
	}, func(o yamlfile.Object) {
		if !o.Has("gate") {
			m.PlanGate = core.GateAuto
		}
	}).InOneLine()
}

// stepsField says how every step of the plan, or what a manager delegates, is done.
func (p *parser) stepsField(kind string, m *core.Management) yamlfile.Field {
	workers := []core.TaskKind{core.KindCode, core.KindFix, core.KindResolve}
	if kind == KindManager {
		workers = append(workers, core.KindWork)
	}
	return yamlfile.Group("steps", "How every step of the plan, or what a manager delegates, is done.", yamlfile.Fields{
		p.worker("role", "Who does a step.", m, workers...).Need("name the role that does a step"),
		p.specialistsField(m),
		p.doneField("Holds of every step's branch, and of every merge.", &m.Done, &subject{merges: true}),
		reviewField(&m.Review).If(kind == KindRules),
		yamlfile.At("rounds", "Only of kind rules: how often a step is begun, each time on a new branch; 2 unless set.", &m.Rounds, tries()).If(kind == KindRules),
		p.worker("reviewer", "Who reviews.", m, core.KindReview),
		p.worker("fixer", "Who puts right what a review found; role unless set.", m, core.KindFix),
		p.worker("resolver", "Who puts right a merge that git or the checks refused; role unless set.", m, core.KindResolve),
	}, func(o yamlfile.Object) { checkSteps(kind, o, m) }).Need("say who does the steps of the plan, and what must hold of them")
}

// checkSteps checks what concerns several fields of the steps. A reviewer is allowed with review: never, because the plan
// may ask for a review.
func checkSteps(kind string, o yamlfile.Object, m *core.Management) {
	if kind == KindManager {
		leaveToManager(o)
	} else if m.Review.When == core.ReviewAlways || m.Review.When == core.ReviewPaths {
		o.Need("reviewer", "name the role that reviews, or set review: never")
	}
	remarkOnChecks(o, m.Done, "a step's")
}

// worker names the role for kinds of tasks.
func (p *parser) worker(key, doc string, m *core.Management, kinds ...core.TaskKind) yamlfile.Field {
	return yamlfile.Field{
		Key: key, Doc: doc, Schema: roleName(),
		Read: func(v yamlfile.Value) bool { p.assign(v, m, kinds...); return true },
		Node: func() *yaml.Node { return yamlfile.Text(m.Roles[kinds[0]]) },
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

// specialistsField holds the roles that a step of the plan may name in place of the usual one. They are only added to the
// playbook's roles: a plan can name every role of a playbook that a person trusts.
func (p *parser) specialistsField(m *core.Management) yamlfile.Field {
	return p.rolesField("specialists", "Further roles that a step of the plan, or the manager, may name.", m, func(v yamlfile.Value, name string) bool {
		if name == m.Roles[core.KindCode] {
			v.Fail("the role "+yamlfile.Quote(name)+" does every step that names no other", "remove it from the list")
		}
		return !isManager(v, name, m)
	})
}

// rolesField is a list of roles that work if they are named. allowed reports those that cannot be in it.
func (p *parser) rolesField(key, doc string, m *core.Management, allowed func(v yamlfile.Value, name string) bool) yamlfile.Field {
	names := unassigned(p.out.Roles, m)
	return yamlfile.At(key, doc, &names, yamlfile.ListOf(yamlfile.Word(yamlfile.AnyText.Schema, func(v yamlfile.Value) (string, bool) {
		r, ok := p.useRole(v)
		if !ok || !allowed(v, r.Name) {
			return "", false
		}
		if slices.Contains(names, r.Name) {
			v.Fail("the role "+yamlfile.Quote(r.Name)+" is listed twice", "")
		}
		names = append(names, r.Name)
		return r.Name, true
	})))
}

// remarkOnChecks warns if nothing checks every branch and every merge.
func remarkOnChecks(o yamlfile.Object, done core.Check, whose string) {
	switch {
	case len(done.Of) == 0:
		o.Value().Warn("no check looks at "+whose+" branch or at a merge", "give done a command that builds and tests the project")
	case !mentions(done, core.CheckCommand):
		o.Key("done").Warn("nothing builds or tests "+whose+" branch or a merge", "add a command check")
	}
}

// unassigned are the roles of a playbook that do no kind of task by default: they work only if they are named.
func unassigned(roles map[string]core.Role, m *core.Management) []string {
	assigned := slices.Collect(maps.Values(m.Roles))
	return slices.DeleteFunc(slices.Sorted(maps.Keys(roles)), func(name string) bool { return slices.Contains(assigned, name) })
}

// reviewField says which steps are reviewed.
func reviewField(r *core.ReviewRule) yamlfile.Field {
	paths := yamlfile.ListOf(glob())
	paths.Read = readReviewed
	always := yamlfile.At("", "", &r.When, yamlfile.OneOf(core.ReviewAlways, core.ReviewNever))
	return yamlfile.Group("review", "Only of kind rules: which steps are reviewed before they are merged; always unless set.", yamlfile.Fields{
		yamlfile.At("paths", "Steps that change a matching file.", &r.Paths, paths).Need("name the files whose change is reviewed"),
	}, func(yamlfile.Object) { r.When = core.ReviewPaths }).InOneLine().Or(always, r.When != core.ReviewPaths)
}

func readReviewed(v yamlfile.Value) (globs []string, ok bool) {
	for _, item := range v.Each() {
		pattern, ok := readGlob(item)
		if !ok {
			continue
		}
		if !matchable(pattern) {
			item.Fail("the glob "+yamlfile.Quote(pattern)+" is too long or has too many alternatives", "split it into several")
			continue
		}
		if globs = append(globs, pattern); !matchable(globs...) {
			item.Fail("these are more globs than are looked at", "name whole folders: internal/**")
			break
		}
	}
	return globs, true
}

// matchable reports whether globs are within the limits of evaluating.
func matchable(globs ...string) bool {
	return check.Validate(core.Check{Kind: core.CheckChanged, Globs: globs}) == nil
}

// publishField says who allows pushing the run's branch, and where its pull request goes.
func publishField(m *core.Management) yamlfile.Field {
	return yamlfile.Group("publish", "How the work reaches the remote.", yamlfile.Fields{
		yamlfile.At("push", "ask: every push waits for a person. standing: this playbook lets the run's own branch be pushed.",
			&m.Push, yamlfile.OneOf(core.PushAsk, core.PushStanding)),
		yamlfile.At("base", "Target branch of the pull request.", &m.Base, branch()),
	}, nil).InOneLine()
}
