// Package admission says which pieces of work may begin: the role must exist and have the capabilities, the inputs must
// be there or be handed in by a dependency, the dependencies must still be possible, and the limits must allow it.
// Deciders ask it before work begins. It is pure: the same request gets the same answer, byte for byte. It must not know
// who asks or what follows from an answer.
package admission

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Request is a set of pieces and what they are judged by.
type Request struct {
	Pieces   []Piece
	Roles    []Role
	Known    Known
	Limits   Limits
	Versions bool // a document is also found without its version and extension: see core.NameForms
}

// Piece is a piece of work that somebody wants done.
type Piece struct {
	ID       string
	Key      string // equal if the same work is asked for twice; "" equals nothing
	Role     string
	Act      bool     // the engine does it itself, without a role
	Needs    []string // capabilities that the role must have
	Requires []string // inputs
	Provided []string // where inputs are: detail:ID, detail:NAME, fact:KEY, answer:ID; other words are not judged
	Outputs  []string // documents that it hands in
	After    []string // its dependencies: pieces of the set, or earlier work
	Flaw     string   // what is wrong with its names; "" if nothing is
}

// Role is a role that can be given work, with its capabilities.
type Role struct {
	Name string
	Can  []string
}

// Roles are the roles of a playbook that can be given work, in the order of their names.
func Roles(all map[string]core.Role, except ...string) []Role {
	roles := make([]Role, 0, len(all))
	for name, r := range all {
		if !slices.Contains(except, name) {
			roles = append(roles, Role{Name: name, Can: r.Capabilities})
		}
	}
	slices.SortFunc(roles, func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
	return roles
}

// Known is what exists when a request is judged.
type Known struct {
	Documents []Document // in the order they were handed in
	Facts     []string   // keys of the valid facts
	Answers   []string   // ids of answered questions
	Earlier   []Earlier  // work that was judged before
}

// Document was handed in. ID may be empty.
type Document struct{ ID, Name string }

// Earlier is a piece of work that was judged before.
type Earlier struct {
	ID      string
	Key     string // of Piece; "" if the same may be done again
	State   State
	Reason  string   // why it failed or was refused
	Outputs []string // documents that it hands in when it is done
}

// State says how far earlier work is.
type State string

const (
	Open    State = "open" // waits, or an agent works on it
	Done    State = "done"
	Failed  State = "failed"  // or was given up
	Refused State = "refused" // its id is free again
)

// Limits bound what may begin.
type Limits struct {
	Pieces int    // in one set; 0 is any number
	Left   int    // how many more may be admitted, if Bound is set
	Bound  string // says what bounds them, such as "a run has at most 200 delegations"; "" is no bound
}

// Judge answers each piece, in the order of the request. The admitted pieces can begin in the order of their
// dependencies: each dependency is admitted too, or was admitted before and has not failed.
func Judge(q Request) []Verdict {
	j := newJudge(q)
	if most := q.Limits.Pieces; most > 0 && len(q.Pieces) > most {
		for i := range q.Pieces {
			j.refuse(i, TooMany, nil, "these are %d delegations, and at most %d can be made at once: delegate some now, and the rest when they are done", len(q.Pieces), most)
		}
		return j.verdicts
	}
	j.identities()
	for i := range q.Pieces {
		j.role(i)
		j.dependencies(i)
	}
	order := j.cycles()
	lacking := j.lacking(order)
	left := q.Limits.Left
	for _, i := range order {
		j.refusedBefore(i)
		j.inputs(i, lacking[i])
		if q.Limits.Bound == "" || !j.verdicts[i].Admitted() {
			continue
		}
		if left--; left < 0 {
			j.refuse(i, Limit, nil, "%s: no more work can begin; continue with what there is", q.Limits.Bound)
		}
	}
	return j.verdicts
}

// judge answers one request.
type judge struct {
	Request
	verdicts []Verdict
	at       map[string]int // pieces of the set, by id
	earlier  map[string]int
	edges    [][]int // for each piece, its dependencies within the set, without itself
	makers   map[string][]int
}

func newJudge(q Request) *judge {
	n := len(q.Pieces)
	j := &judge{
		Request: q, verdicts: make([]Verdict, n), at: make(map[string]int, n), earlier: make(map[string]int, len(q.Known.Earlier)),
		edges: make([][]int, n),
	}
	for i, p := range q.Pieces {
		j.verdicts[i].Piece = p.ID
	}
	for i, e := range q.Known.Earlier {
		j.earlier[e.ID] = i
	}
	return j
}

// before finds earlier work by its id.
func (j *judge) before(id string) *Earlier {
	if i, ok := j.earlier[id]; ok {
		return &j.Known.Earlier[i]
	}
	return nil
}

// identities refuses pieces without a valid id of their own, and work that is there already. Of two equal pieces the
// first is kept.
func (j *judge) identities() {
	work := make(map[string]string, len(j.Pieces))
	state := map[string]State{}
	for _, e := range j.Known.Earlier {
		if e.Key != "" && (e.State == Open || e.State == Done) {
			work[e.Key], state[e.Key] = e.ID, e.State
		}
	}
	for i, p := range j.Pieces {
		_, taken := j.at[p.ID]
		e := j.before(p.ID)
		switch {
		case p.ID == "":
			j.refuse(i, NoID, nil, "it has no id: give it one that no other has")
			continue
		case taken || e != nil && e.State != Refused:
			j.duplicateID(i, taken)
			continue
		}
		j.at[p.ID] = i
		if p.Flaw != "" {
			j.refuse(i, BadName, nil, "%s", p.Flaw)
			continue
		}
		if p.Key == "" {
			continue
		}
		if same, ok := work[p.Key]; ok {
			j.duplicate(i, same, state[p.Key])
			continue
		}
		work[p.Key] = p.ID
	}
}

// role refuses a piece whose role does not exist or lacks capabilities.
func (j *judge) role(i int) {
	p := j.Pieces[i]
	if p.Act {
		return
	}
	at := slices.IndexFunc(j.Roles, func(r Role) bool { return r.Name == p.Role })
	if at < 0 {
		j.unknownRole(i)
		return
	}
	if lacks := without(p.Needs, j.Roles[at].Can); len(lacks) > 0 {
		j.missingCapability(i, lacks)
	}
}

// without returns the words that are not among the others.
func without(words, others []string) []string {
	var left []string
	for _, w := range words {
		if !slices.Contains(others, w) {
			left = append(left, w)
		}
	}
	return left
}

// dependencies refuses a piece with a dependency that cannot be met, and notes the dependencies within the set.
func (j *judge) dependencies(i int) {
	p := j.Pieces[i]
	j.edges[i] = make([]int, 0, len(p.After))
	for _, id := range p.After {
		other, here := j.at[id]
		e := j.before(id)
		switch {
		case id == p.ID:
			j.refuse(i, SelfDependency, []string{id}, "it cannot depend on itself: remove %s from its dependencies", id)
		case here:
			j.edges[i] = append(j.edges[i], other)
		case e == nil:
			j.refuse(i, UnknownDependency, []string{id}, "it depends on %q, but there is no such delegation: correct the id, or propose that one too", id)
		case e.State == Failed:
			j.refuse(i, FailedDependency, []string{id}, "it depends on %s, which failed%s: have that done another way first, or do this without it", id, because(e.Reason))
		}
	}
}

// refusedBefore refuses a piece whose dependency was refused.
func (j *judge) refusedBefore(i int) {
	if !j.verdicts[i].Admitted() {
		return
	}
	for _, id := range j.Pieces[i].After {
		if d, here := j.at[id]; here {
			if v := j.verdicts[d]; !v.Admitted() {
				j.refusedDependency(i, id, v.Text)
			}
		} else if e := j.before(id); e != nil && e.State == Refused {
			j.refusedDependency(i, id, e.Reason)
		}
	}
}
