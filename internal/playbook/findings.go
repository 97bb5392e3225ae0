package playbook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// settleFindings decides what happens when the phase's review requests changes.
func (d *draft) settleFindings(o yamlfile.Object) {
	reviews := slices.Contains(d.Outputs, role.ReviewArtifact)
	switch v, given := o.Get("findings"); {
	case given && d.Findings != "" && !reviews:
		v.Fail("findings are read from "+role.ReviewArtifact+", which is not among the phase's outputs", "add it to outputs")
	case !given && reviews:
		d.Findings = core.FindingsAsk
	}
	switch v, given := o.Get("findings_rounds"); {
	case given && d.FindingsRounds > 0 && d.Findings != core.FindingsAuto:
		v.Fail("rounds are counted only with findings: auto", "")
	case !given && d.Findings == core.FindingsAuto:
		d.FindingsRounds = DefaultFindingsRounds
	}
}

// rollbackFields describe where findings send the run; stage is the form of the phases that can be named.
func rollbackFields(r *core.Rollback, stage yamlfile.Form[string]) yamlfile.Fields {
	anyWord := func(v yamlfile.Value) (string, bool) { return strings.ToLower(v.Node().Value), true }
	return yamlfile.Fields{
		yamlfile.At("types", "", &r.Types, stages(yamlfile.Form[string]{Read: anyWord}, stage)),
		yamlfile.At("paths", "", &r.Paths, stages(glob(), stage)),
		yamlfile.At("default", "", &r.Default, stage),
	}
}

// stages is the form of phases by what a finding must match.
func stages(match, stage yamlfile.Form[string]) yamlfile.Form[[]core.RollbackRule] {
	schema := yamlfile.Schema{"type": "object", "additionalProperties": stage.Schema}
	if match.Schema != nil {
		schema["propertyNames"] = match.Schema
	}
	return yamlfile.Form[[]core.RollbackRule]{
		Schema: schema,
		Read: func(v yamlfile.Value) ([]core.RollbackRule, bool) {
			pairs, ok := v.Pairs()
			var rules []core.RollbackRule
			for _, pair := range pairs {
				rule := core.RollbackRule{}
				rule.Match, _ = match.Read(pair.Key)
				rule.Stage, _ = stage.Read(pair.Value)
				rules = append(rules, rule)
			}
			return rules, ok
		},
		Write: func(rules []core.RollbackRule) *yaml.Node {
			if len(rules) == 0 {
				return nil
			}
			m := yamlfile.NewMap()
			for _, rule := range rules {
				yamlfile.Put(m, rule.Match, stage.Write(rule.Stage))
			}
			return m
		},
	}
}

// rollbackField writes the rollback; readRollback reads it.
func rollbackField(d *draft) yamlfile.Field {
	rollback, stage := d.Rollback, yamlfile.Word(idSchema(), yamlfile.Value.Text)
	if rollback == nil {
		rollback = &core.Rollback{}
	}
	fields := rollbackFields(rollback, stage)
	return yamlfile.Field{Key: "rollback", Schema: fields.Schema(), Read: func(yamlfile.Value) bool { return true }, Node: fields.Node}.If(d.Rollback != nil)
}

// readRollback reads where findings send the run; earlier are the phases before this one.
func (d *draft) readRollback(v yamlfile.Value, earlier, all []*draft) {
	r := &core.Rollback{}
	stage := yamlfile.Word(nil, func(v yamlfile.Value) (string, bool) { return target(v, earlier, all), true })
	yamlfile.Group("", "", rollbackFields(r, stage), func(yamlfile.Object) { d.Rollback = r }).Read(v)
	if d.Findings == "" && len(r.Types)+len(r.Paths) > 0 {
		v.Warn("types and paths have no effect: the phase hands in no "+role.ReviewArtifact, "")
	}
}

// target reads the phase that findings send the run to.
func target(v yamlfile.Value, earlier, all []*draft) string {
	id, ok := v.Text()
	if !ok {
		return ""
	}
	named := func(d *draft) bool { return d.ID == id }
	if at := slices.IndexFunc(earlier, named); at >= 0 {
		switch found := earlier[at]; {
		case found.Act != "":
			v.Fail("the phase "+yamlfile.Quote(id)+" is done by Stellwerk itself, so there is nothing to fix in it", "name a phase with a role")
		case found.Skip:
			v.Fail("the phase "+yamlfile.Quote(id)+" is always skipped", "name a phase that runs")
		}
		return id
	}
	var ids []string
	for _, d := range earlier {
		ids = append(ids, d.ID)
	}
	if slices.ContainsFunc(all, named) {
		v.Fail("the phase "+yamlfile.Quote(id)+" is not earlier than this one", "earlier phases: "+strings.Join(ids, ", "))
		return ""
	}
	v.Fail("unknown phase "+yamlfile.Quote(id), yamlfile.Known(id, ids))
	return ""
}

// fallbackTarget is where a review without a map sends the run: the nearest earlier phase that writes code.
func fallbackTarget(earlier []*draft) string {
	for _, d := range slices.Backward(earlier) {
		if d.Act == "" && !d.Skip && d.Writes == core.WritesCode {
			return d.ID
		}
	}
	return ""
}
