package manager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/gate"
)

// gated asks the gate, as other deciders do: whether there is somebody
// to do it, whether what it is to come after can still be, and (law 1) whether
// what it is to read is there or on its way from that. Its answers are given in
// the words of the tool that proposed it.
func gated(r *core.Run, d *core.Delegation) (string, string) {
	p := d.Proposal
	q := gate.Request{
		Pieces: []gate.Piece{{ID: d.ID, Role: p.Role, Act: p.Kind.EngineAct(), Requires: p.Inputs, After: p.After}},
		Roles:  gate.Roles(r.Playbook.Roles, r.Playbook.Project.Roles[core.KindManage]), Known: known(r, d),
	}
	if p.Role == "" {
		q.Pieces[0].Role = r.Playbook.Project.Roles[p.Kind]
	}
	v := gate.Judge(q)[0]
	switch v.Code {
	case gate.UnknownRole:
		if q.Pieces[0].Role == "" {
			return core.RefusedRole, fmt.Sprintf("the playbook names nobody for work of kind %s: name the role; there are %s", p.Kind, listed(names(q.Roles)))
		}
		return core.RefusedRole, v.Text
	case gate.MissingInput:
		return core.RefusedInput, fmt.Sprintf("nobody has handed in %q; what there is: %s", v.Members[0], listed(documents(r)))
	case gate.SelfDependency:
		return core.RefusedDependency, "it cannot come after itself"
	case gate.UnknownDependency:
		return core.RefusedDependency, fmt.Sprintf("it is to come after %q, and there is no such delegation or line", v.Members[0])
	case gate.FailedDependency, gate.RefusedDependency:
		before := r.Delegation(v.Members[0])
		return core.RefusedDependency, fmt.Sprintf("it was to come after %s, which was %s: %s", before.ID, before.Status, before.Reason)
	case gate.TooMany, gate.NoID, gate.BadName, gate.DuplicateID, gate.Duplicate, gate.MissingCapability, gate.Cycle, gate.Limit: // of one that needs nothing, without limits: none
	}
	return "", ""
}

// known is what a proposal speaks of and is there.
func known(r *core.Run, d *core.Delegation) gate.Known {
	var k gate.Known
	for _, name := range d.Proposal.Inputs {
		if r.Artifact(name) != nil {
			k.Documents = append(k.Documents, gate.Document{Name: name})
		}
	}
	for _, name := range d.Proposal.After {
		before := r.Delegation(name)
		switch {
		case name == d.ID:
		case before != nil:
			k.Earlier = append(k.Earlier, gate.Earlier{ID: name, State: state(before.Status), Outputs: before.Proposal.Outputs})
		case r.Was(name) || r.KnowsLine(name): // over and forgotten, or a line: see dependencies
			k.Earlier = append(k.Earlier, gate.Earlier{ID: name, State: gate.Done})
		}
	}
	return k
}

func state(s core.DelegationStatus) gate.State {
	switch s {
	case core.DelegationDone:
		return gate.Done
	case core.DelegationFailed:
		return gate.Failed
	case core.DelegationRefused:
		return gate.Refused
	default:
		return gate.Open
	}
}

func names(roles []gate.Role) []string {
	var all []string
	for _, r := range roles {
		all = append(all, r.Name)
	}
	return all
}

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

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
