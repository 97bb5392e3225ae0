package manager

import (
	"cmp"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// admissible asks admission, as other deciders do: whether the role exists, whether the dependencies are still possible,
// and (law 1) whether the inputs are there or come from a dependency.
func admissible(r *core.Run, d *core.Delegation) (code, reason string) {
	p := d.Proposal
	piece := admission.Piece{ID: d.ID, Role: cmp.Or(p.Role, r.Playbook.Project.Roles[p.Kind]), Act: p.Kind.EngineAct(), Requires: p.Inputs, After: p.After}
	roles := admission.Roles(r.Playbook.Roles, r.Playbook.Project.Roles[core.KindManage])
	v := admission.Judge(admission.Request{Pieces: []admission.Piece{piece}, Roles: roles, Known: known(r, d)})[0]
	switch v.Code {
	case admission.UnknownRole:
		return core.RefusedRole, v.Text
	case admission.MissingInput:
		return core.RefusedInput, v.Text
	case admission.SelfDependency, admission.UnknownDependency, admission.FailedDependency, admission.RefusedDependency:
		return core.RefusedDependency, v.Text
	case admission.TooMany, admission.NoID, admission.BadName, admission.DuplicateID, admission.Duplicate, admission.MissingCapability, admission.Cycle, admission.Limit:
		// not of a single piece that needs no capability and has no limits
	}
	return "", ""
}

// known is what there is that a proposal may rely on.
func known(r *core.Run, d *core.Delegation) admission.Known {
	var k admission.Known
	for _, name := range documents(r) {
		k.Documents = append(k.Documents, admission.Document{Name: name})
	}
	for _, name := range d.Proposal.After {
		before := r.Delegation(name)
		switch {
		case name == d.ID:
		case before != nil:
			k.Earlier = append(k.Earlier, admission.Earlier{ID: name, State: state(before.Status), Reason: before.Reason, Outputs: before.Proposal.Outputs})
		case r.Was(name) || r.KnowsLine(name): // over and forgotten, or a line: see dependencies
			k.Earlier = append(k.Earlier, admission.Earlier{ID: name, State: admission.Done})
		}
	}
	return k
}

func state(s core.DelegationStatus) admission.State {
	switch s {
	case core.DelegationDone:
		return admission.Done
	case core.DelegationFailed:
		return admission.Failed
	case core.DelegationRefused:
		return admission.Refused
	case core.DelegationWaiting, core.DelegationOpen, core.DelegationBlocked, core.DelegationPartial, core.DelegationDropped: // the last three are of waves
	}
	return admission.Open
}

// documents are the names of the documents that work can read.
func documents(r *core.Run) []string {
	var names []string
	for _, a := range r.Managing.Documents {
		names = append(names, a.Name)
	}
	for _, s := range r.Stages {
		for _, t := range s.Tasks {
			for _, name := range t.Outputs {
				if r.Artifact(name) != nil && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
