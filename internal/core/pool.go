package core

import (
	"slices"
	"strconv"
	"strings"
)

// Pool is what a run holds to be true, in the order it came in. It grows by
// Merge and in no other way, and nothing is taken out of it.
type Pool []Fact

// MaxClaims is with how many entries a pool takes no further claims of delegations,
// so that a run stays small enough to be looked at with every event.
const MaxClaims = 10_000

// Statement is a claim on its way into a pool: who makes it, and when.
type Statement struct {
	Claimed
	Assumption bool
	Origin     Origin
	Source     string // delegation, wave or question
	Wave       int
}

// fact is the entry that a statement becomes if nothing like it is there. An
// answer that nobody gave in time is assumed, a person's is certain.
func (s Statement) fact() Fact {
	f := Fact{
		Key: FactKey(s.Key), Content: strings.TrimSpace(s.Content), Origin: s.Origin, Source: s.Source, Wave: s.Wave,
		Confidence: s.Confidence, Assumption: s.Assumption || s.Origin == OriginDefault, Sources: []string{},
	}
	for _, ref := range s.Sources {
		if !slices.Contains(f.Sources, ref) {
			f.Sources = append(f.Sources, ref)
		}
	}
	switch {
	case s.Origin == OriginPerson:
		f.Assumption, f.Confidence = false, 1
	case f.Confidence > 0: // not if it is no number
		f.Confidence = min(f.Confidence, 1)
	case f.Assumption:
		f.Confidence = AssumptionConfidence
	default:
		f.Confidence = FactConfidence
	}
	return f
}

// standing orders who may say what holds. What has the same content takes the
// highest standing of all who claim it.
func (f *Fact) standing() int {
	switch {
	case f.Origin == OriginPerson:
		return 5
	case f.Origin == OriginPlanner && !f.Assumption:
		return 4
	case !f.Assumption:
		return 3
	case f.Origin == OriginPlanner:
		return 2
	case f.Origin == OriginDefault:
		return 1
	}
	return 0
}

// Valid reports that nothing has taken the fact's place.
func (f *Fact) Valid() bool { return f.SupersededBy == nil }

// Fact finds an entry by its id; nil if there is none.
func (p Pool) Fact(id string) *Fact {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "f"))
	if err != nil || n < 1 || n > len(p) || p[n-1].ID != id {
		return nil
	}
	return &p[n-1]
}

// factID is the id of the n-th entry.
func factID(n int) string { return "f" + strconv.Itoa(n) }

// Stale are entries that nothing contradicts, but that rest on what no longer
// holds.
func (p Pool) Stale() []Fact {
	var all []Fact
	for i := range p {
		if p[i].Valid() && p[i].Stale != "" {
			all = append(all, p[i])
		}
	}
	return all
}

// Merge is the pool with further statements, each judged after those before it.
// The pool itself stays as it is.
//
// What has the same key and the same words as an entry that holds is merged into
// it: sources are united, the confidence is the highest that anybody gave (agents
// that read the same papers are no independent witnesses), and origin, source and
// wave are those of the highest standing. What has the same key and other words
// becomes an entry of its own, and:
//
//   - a person's answer takes the place of all others, an earlier one included;
//     against it, everything else is superseded as it comes in;
//   - a planner's fact takes the place of all but a person's;
//   - a delegation's fact takes the place of assumptions, and stands beside other
//     facts until a planner or a person says which holds;
//   - an assumption against a fact is superseded as it comes in; a planner's, or the
//     default of a question, takes the place of other assumptions, a delegation's
//     stands beside them.
//
// What has no key is about nothing that others could contradict. When an entry is
// superseded, those that hold and name it among their sources become stale, and
// those that name them; what comes in and names such an entry is stale at once. An
// answer is never stale, nor is anything for an entry with its own key. A stale
// entry is so no longer when a further source claims it from what holds.
//
// Whoever repeats a claim changes nothing. For the claims of delegations alone,
// which entries hold (key, words, assumption) does not depend on their order.
func (p Pool) Merge(statements ...Statement) Pool {
	m := merging{pool: slices.Grow(slices.Clone(p), len(statements)), topics: make(map[string]*topic, len(statements))}
	said := make([]Fact, len(statements))
	for i := range statements {
		said[i] = statements[i].fact()
		if m.topics[said[i].Key] == nil {
			m.topics[said[i].Key] = &topic{person: -1, words: map[string][]int{}}
		}
	}
	for i := range m.pool {
		if t := m.topics[m.pool[i].Key]; t != nil {
			t.add(i, &m.pool[i], Plain(m.pool[i].Content))
		}
	}
	for i := range said {
		m.take(said[i])
	}
	return m.pool
}
