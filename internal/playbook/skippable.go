package playbook

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// checkSkippable refuses skippable on a phase with an act.
func (d *draft) checkSkippable(o yamlfile.Object) {
	if v, _ := o.Get("skippable"); d.Skippable && o.Has("act") {
		v.Fail("a plan cannot skip what Stellwerk does itself", "remove skippable; a person can use `stellwerk skip`")
	}
}

// checkPlans requires plans that can skip phases to match their schema, and warns about phases that no plan can skip.
func (p *parser) checkPlans() {
	for i, d := range p.phases {
		if !d.Skippable {
			continue
		}
		planned := false
		for _, earlier := range p.phases[:i] {
			if slices.Contains(earlier.Outputs, core.PlanArtifact) {
				planned = planned || earlier.Gate == core.GateApproval
				earlier.requirePlan()
			}
		}
		if !planned {
			d.fields.Key("skippable").Warn("no plan can skip the phase",
				"let an earlier phase hand in "+core.PlanArtifact+" and have gate: approval")
		}
	}
}

// requirePlan requires the phase's plan to match its schema.
func (d *draft) requirePlan() {
	for i, c := range d.Done.Of {
		switch {
		case c.Kind != core.CheckArtifact || c.Name != core.PlanArtifact:
		case c.Schema == nil:
			d.Done.Of[i].Schema = canonicalJSON(role.PlanSchema())
		case !role.IsPlanSchema(c.Schema):
			d.fields.Key("done").Fail(core.PlanArtifact+" says which phases to skip and has a form of its own", "remove its schema")
		}
	}
}
