package manager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// admissible asks admission, as other deciders do: whether there is somebody
// to do it, whether what it is to come after can still be, and (law 1) whether
// what it is to read is there or on its way from that. Its answers are given in
// the words of the tool that proposed it.
func admissible(r *core.Run, d *core.Delegation) (string, string) {
	p := d.Proposal
	q := admission.Request{
		Pieces: []admission.Piece{{ID: d.ID, Role: p.Role, Act: p.Kind.EngineAct(), Requires: p.Inputs, After: p.After}},
		Roles:  admission.Roles(r.Playbook.Roles, r.Playbook.Project.Roles[core.KindManage]), Known: known(r, d),
	}
	if p.Role == "" {
		q.Pieces[0].Role = r.Playbook.Project.Roles[p.Kind]
	}
	v := admission.Judge(q)[0]
	switch v.Code {
	case admission.UnknownRole:
		if q.Pieces[0].Role == "" {
			return core.RefusedRole, fmt.Sprintf("the playbook names nobody for work of kind %s: name the role; there are %s", p.Kind, listed(names(q.Roles)))
		}
		return core.RefusedRole, v.Text
	case admission.MissingInput:
		return core.RefusedInput, fmt.Sprintf("nobody has handed in %q; what there is: %s", v.Members[0], listed(documents(r)))
	case admission.SelfDependency:
		return core.RefusedDependency, "it cannot come after itself"
	case admission.UnknownDependency:
		return core.RefusedDependency, fmt.Sprintf("it is to come after %q, and there is no such delegation or line", v.Members[0])
	case admission.FailedDependency, admission.RefusedDependency:
		before := r.Delegation(v.Members[0])
		return core.RefusedDependency, fmt.Sprintf("it was to come after %s, which was %s: %s", before.ID, before.Status, before.Reason)
	case admission.TooMany, admission.NoID, admission.BadName, admission.DuplicateID, admission.Duplicate, admission.MissingCapability, admission.Cycle, admission.Limit: // of one that needs nothing, without limits: none
	}
	return "", ""
}

// known is what a proposal speaks of and is there.
func known(r *core.Run, d *core.Delegation) admission.Known {
	var k admission.Known
	for _, name := range d.Proposal.Inputs {
		if r.Artifact(name) != nil {
			k.Documents = append(k.Documents, admission.Document{Name: name})
		}
	}
	for _, name := range d.Proposal.After {
		before := r.Delegation(name)
		switch {
		case name == d.ID:
		case before != nil:
			k.Earlier = append(k.Earlier, admission.Earlier{ID: name, State: state(before.Status), Outputs: before.Proposal.Outputs})
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
	case core.DelegationWaiting, core.DelegationOpen:
	}
	return admission.Open
}

func names(roles []admission.Role) []string {
	var all []string
	for _, r := range roles {
		all = append(all, r.Name)
	}
	return all
}

func documents(r *core.Run) []string {
	var names []string
	for _, a := range r.Documents {
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

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
