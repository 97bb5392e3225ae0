package playbook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// checkFlow checks what phases expect of each other.
func (p *parser) checkFlow() {
	for i, d := range p.phases {
		for j, input := range d.Inputs {
			if input.Files != "" {
				p.checkFiles(i, input, d.inputs[j])
				continue
			}
			p.checkInput(i, input, d.inputs[j])
		}
		p.checkOutputs(i)
		if v, ok := d.fields.Get("rollback"); ok && d.Act == "" {
			d.readRollback(v, p.phases[:i], p.phases)
		} else if d.Findings != "" {
			if target := fallbackTarget(p.phases[:i]); target != "" {
				d.Rollback = &core.Rollback{Default: target}
			}
		}
		d.remark()
		if i+1 < len(p.phases) && d.Act == core.ActPullRequest {
			p.phases[i+1].fields.Value().Warn("this phase comes after the pull request, so its changes are not part of it", "")
		}
	}
}

// checkFiles requires an earlier phase with a changed check.
func (p *parser) checkFiles(at int, input core.Input, v yamlfile.Value) {
	var ids []string
	for _, d := range p.phases[:at] {
		if mentions(d.Done, core.CheckChanged) {
			ids = append(ids, d.ID)
		}
		if d.ID == input.Files {
			if !mentions(d.Done, core.CheckChanged) {
				v.Fail("the phase "+yamlfile.Quote(d.ID)+" has no changed check, so it is not known which files it changes", "add one, or remove this input")
			}
			return
		}
	}
	v.Fail("there is no earlier phase "+yamlfile.Quote(input.Files), yamlfile.Known(input.Files, ids))
}

// checkInput requires an earlier phase that hands the input in.
func (p *parser) checkInput(at int, input core.Input, v yamlfile.Value) {
	var outputs []string
	skipped, maybe, left, later := "", "", "", -1
	for i, d := range p.phases {
		outputs = append(outputs, d.documents()...)
		switch produces := slices.Contains(d.documents(), input.Name); {
		case !produces:
		case i >= at:
			if later < 0 {
				later = i
			}
		case d.Skip:
			skipped = d.ID
		case d.Skippable:
			left = d.ID
		case d.When != "":
			maybe = fmt.Sprintf("%q, which its when may skip", d.ID)
		case d.uncertain(input.Name) != "":
			maybe = fmt.Sprintf("%q, %s", d.ID, d.uncertain(input.Name))
		default:
			return
		}
	}
	name := yamlfile.Quote(input.Name)
	switch {
	case input.Optional && (maybe != "" || skipped != "" || left != ""):
	case left != "":
		v.Fail(fmt.Sprintf("%s is handed in by the phase %q, which a plan may leave out", name, left), "make the input optional or remove skippable")
	case maybe != "":
		v.Warn(name+" is handed in by the phase "+maybe, "make the input optional")
	case skipped != "":
		v.Fail(fmt.Sprintf("%s is handed in only by the phase %q, which is always skipped", name, skipped), "make the input optional or remove skip")
	case later == at:
		v.Fail(name+" is handed in by this phase itself", "an input comes from an earlier phase")
	case later >= 0 && p.waitsFor(later, at, map[int]bool{}):
		v.Fail(fmt.Sprintf("%s comes from the later phase %q, and that phase waits for this one: a cycle", name, p.phases[later].ID),
			"remove one of the inputs")
	case later >= 0:
		v.Fail(fmt.Sprintf("%s comes from the later phase %q", name, p.phases[later].ID), "phases run in the order of the file; move one of them")
	default:
		v.Fail("no phase hands in "+name, yamlfile.Known(input.Name, slices.Compact(slices.Sorted(slices.Values(outputs)))))
	}
}

// waitsFor reports that phase from needs, directly or through others, an output of phase to.
func (p *parser) waitsFor(from, to int, seen map[int]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, input := range p.phases[from].Inputs {
		for i, d := range p.phases {
			if slices.Contains(d.documents(), input.Name) && (i == to || p.waitsFor(i, to, seen)) {
				return true
			}
		}
	}
	return false
}

// checkOutputs warns about a name that two phases use. Names that differ only in case would be one file on some machines.
func (p *parser) checkOutputs(at int) {
	d := p.phases[at]
	for _, document := range d.documents()[len(d.Outputs):] {
		if slices.Contains(d.Outputs, document) {
			d.fields.Key("outputs").Fail(yamlfile.Quote(document)+" is what a spoke of the team hands to its hub", "choose another name")
		}
	}
	for _, earlier := range p.phases[:at] {
		for _, name := range d.Outputs {
			for _, other := range earlier.documents() {
				switch v, _ := d.fields.Get("outputs"); {
				case name == other:
					if name == role.ReviewArtifact && !p.taken(name) {
						continue // each is read of its own phase, and by nobody else
					}
					v.Warn(fmt.Sprintf("%q is also handed in by the phase %q; later phases see the newest", name, earlier.ID), "")
				case strings.EqualFold(name, other):
					v.Fail(fmt.Sprintf("%q and %q of the phase %q differ only in case", name, other, earlier.ID), "")
				}
			}
		}
	}
}

// taken reports an artifact that some phase reads.
func (p *parser) taken(name string) bool {
	return slices.ContainsFunc(p.phases, func(d *draft) bool {
		return slices.ContainsFunc(d.Inputs, func(in core.Input) bool { return in.Name == name })
	})
}

// remark warns if the checks of a phase are weaker than they look.
func (d *draft) remark() {
	if d.Act != "" || d.Skip || len(d.Done.Of) == 0 {
		return
	}
	evidence := mentions(d.Done, core.CheckChanged, core.CheckFiles, core.CheckCommand, core.CheckArtifact, core.CheckGit)
	switch v := d.fields.Value(); {
	case !evidence:
		v.Warn("the phase has only state checks, and state is what agents report about themselves", "add a command, changed or artifact check")
	case d.Writes == core.WritesCode && !mentions(d.Done, core.CheckChanged, core.CheckCommand):
		v.Warn("the phase writes code, but no check looks at what it changed", "add a changed or command check, or set writes: artifacts")
	}
}
