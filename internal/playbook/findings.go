package playbook

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// readFindings reads what happens when the phase's review requests changes.
func (d *draft) readFindings(o yamlfile.Object) {
	reviews := slices.Contains(d.Outputs, role.ReviewArtifact)
	if reviews {
		d.Findings = core.FindingsAsk
	}
	if v, ok := o.Get("findings"); ok {
		mode, ok := v.Choice(string(core.FindingsAsk), string(core.FindingsAuto))
		d.Findings = core.FindingsMode(mode)
		if ok && !reviews {
			v.Fail("findings are read from "+role.ReviewArtifact+", which is not among the phase's outputs",
				"add it to outputs")
		}
	}
	if d.Findings == core.FindingsAuto {
		d.FindingsRounds = DefaultFindingsRounds
	}
	if v, ok := o.Get("findings_rounds"); ok {
		d.FindingsRounds, ok = v.Int(1, maxAttempts)
		if ok && d.Findings != core.FindingsAuto {
			v.Fail("rounds are counted only with findings: auto", "")
		}
	}
}

func rollbackKeys() []string { return []string{"types", "paths", "default"} }

// readRollback reads where findings send the run; earlier are the phases before this one.
func (d *draft) readRollback(v yamlfile.Value, earlier, all []*draft) {
	o, ok := v.Object(rollbackKeys()...)
	if !ok {
		return
	}
	r := &core.Rollback{}
	if types, ok := o.Get("types"); ok {
		pairs, _ := types.Pairs()
		for _, pair := range pairs {
			rule := core.RollbackRule{Match: strings.ToLower(pair.Name), Stage: target(pair.Value, earlier, all)}
			r.Types = append(r.Types, rule)
		}
	}
	if paths, ok := o.Get("paths"); ok {
		pairs, _ := paths.Pairs()
		for _, pair := range pairs {
			match, _ := glob(pair.Key)
			r.Paths = append(r.Paths, core.RollbackRule{Match: match, Stage: target(pair.Value, earlier, all)})
		}
	}
	if fallback, ok := o.Get("default"); ok {
		r.Default = target(fallback, earlier, all)
	}
	if d.Findings == "" && len(r.Types)+len(r.Paths) > 0 {
		v.Warn("types and paths have no effect: the phase hands in no "+role.ReviewArtifact, "")
	}
	d.Rollback = r
}

// target reads the phase that findings are sent to.
func target(v yamlfile.Value, earlier, all []*draft) string {
	id, ok := v.Text()
	if !ok {
		return ""
	}
	named := func(d *draft) bool { return d.ID == id }
	if at := slices.IndexFunc(earlier, named); at >= 0 {
		switch found := earlier[at]; {
		case found.Act != "":
			v.Fail("the phase "+quote(id)+" is the engine's own act and has nothing to put right", "name a phase with a role")
		case found.Skip:
			v.Fail("the phase "+quote(id)+" is always skipped", "name a phase that runs")
		}
		return id
	}
	var ids []string
	for _, d := range earlier {
		ids = append(ids, d.ID)
	}
	if slices.ContainsFunc(all, named) {
		v.Fail("the phase "+quote(id)+" is not earlier than this one", "earlier phases: "+strings.Join(ids, ", "))
		return ""
	}
	v.Fail("unknown phase "+quote(id), yamlfile.Known(id, ids))
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
