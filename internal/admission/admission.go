// Package admission says which pieces of work may begin: those whose role exists and
// can do them, whose inputs are there or on their way, whose dependencies can be
// met, and that the limits allow. Deciders ask it before work starts. It is
// pure: the same request has the same answer, byte for byte, and it must not know
// where a request comes from or what is done about it.
package admission

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Request is a set of wishes and what they are judged by.
type Request struct {
	Pieces   []Piece
	Roles    []Role
	Known    Known
	Limits   Limits
	Versions bool // names have versions and extensions that may be left out: see core.NameForms
}

// Piece is a piece of work that somebody wants done.
type Piece struct {
	ID       string
	Key      string   // equal for the same work wished for twice; "" is like nothing else
	Role     string   // who is to do it
	Act      bool     // the engine does it itself: it has no role
	Needs    []string // capabilities that the role must have
	Requires []string // inputs that it cannot do without
	Provided []string // where they are: detail:ID, detail:NAME, fact:KEY, answer:ID; other words are not judged
	Outputs  []string // documents that it hands in
	After    []string // pieces that come before it: of the set, or earlier ones
	Flaw     string   // why it could not be begun as it names things; "" where nothing is wrong
}

// Role is somebody who can be given work.
type Role struct {
	Name string
	Can  []string
}

// Roles are those of a playbook that can be given work, in the order of their
// names.
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

// Known is what is there when a request is judged.
type Known struct {
	Documents []Document // in the order they were handed in
	Facts     []string   // keys of those that hold
	Answers   []string   // ids of questions that were answered
	Earlier   []Earlier  // work that was wished for before
}

// Document is something that was handed in. ID may be empty.
type Document struct{ ID, Name string }

// Earlier is a piece of work that was judged before.
type Earlier struct {
	ID      string
	Key     string // of Piece; "" where the same may be done again
	State   State
	Reason  string   // why it failed or was refused
	Outputs []string // that it hands in when it is done
}

// State is what became of earlier work.
type State string

const (
	Open    State = "open" // waits or is worked on
	Done    State = "done"
	Failed  State = "failed"  // or was given up
	Refused State = "refused" // its id is free again
)

// Limits is what may be begun.
type Limits struct {
	Pieces int    // in one set; 0 is any number
	Left   int    // how many more may be admitted, where Bound says what bounds them
	Bound  string // such as "a run has at most 200 delegations"; "" is no bound
}

// Judge answers each piece, in the order of the request. What is admitted can be
// begun in the order of its dependencies: each of those is admitted too, or was
// before and has not failed.
func Judge(q Request) []Verdict {
	j := newJudge(q)
	if most := q.Limits.Pieces; most > 0 && len(q.Pieces) > most {
		for i := range q.Pieces {
			j.tooMany(i, most)
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
			j.limit(i)
		}
	}
	return j.verdicts
}

// judge is a request while it is answered.
type judge struct {
	Request
	verdicts []Verdict
	at       map[string]int // piece of the set by its id
	earlier  map[string]int
	edges    [][]int // pieces of the set that each comes after, without itself
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

// before is earlier work by its id; nil where there is none.
func (j *judge) before(id string) *Earlier {
	if i, ok := j.earlier[id]; ok {
		return &j.Known.Earlier[i]
	}
	return nil
}

// identities sees that each piece can be told from all others. Of two that are
// the same, the first is kept.
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
			j.noID(i)
			continue
		case taken || e != nil && e.State != Refused:
			j.duplicateID(i, taken)
			continue
		}
		j.at[p.ID] = i
		if p.Flaw != "" {
			j.badName(i)
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

// role sees that there is somebody who can do a piece.
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

// without are the words that are not among the others.
func without(words, others []string) []string {
	var left []string
	for _, w := range words {
		if !slices.Contains(others, w) {
			left = append(left, w)
		}
	}
	return left
}

// dependencies sees that all a piece comes after can still be, and notes what of
// it is in the set.
func (j *judge) dependencies(i int) {
	p := j.Pieces[i]
	j.edges[i] = make([]int, 0, len(p.After))
	for _, id := range p.After {
		other, here := j.at[id]
		e := j.before(id)
		switch {
		case id == p.ID:
			j.selfDependency(i)
		case here:
			j.edges[i] = append(j.edges[i], other)
		case e == nil:
			j.unknownDependency(i, id)
		case e.State == Failed:
			j.failedDependency(i, e)
		}
	}
}

// refusedBefore refuses what comes after something that was refused.
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
