package playbook

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// checkSkippable lets an approved plan leave out only what somebody does.
func (d *draft) checkSkippable(o yamlfile.Object) {
	if v, _ := o.Get("skippable"); d.Skippable && o.Has("act") {
		v.Fail("what Stellwerk does itself cannot be left out by a plan", "remove skippable; a person can use `stellwerk skip`")
	}
}

// checkPlans holds those who propose what to skip to the form of a proposal, and remarks on phases that nobody can
// propose to skip.
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
			d.fields.Key("skippable").Warn("no plan can leave the phase out",
				"let an earlier phase hand in "+core.PlanArtifact+" and have gate: approval")
		}
	}
}

// requirePlan holds the phase's plan to its schema.
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
