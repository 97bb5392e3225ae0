package core

import "slices"

// merging is a pool while statements are merged into it.
type merging struct {
	pool   Pool
	topics map[string]*topic // of the keys that the statements have
	users  map[string][]int  // by fact, the entries that name it as a source; nil until something is superseded
}

// topic is the entries with one key.
type topic struct {
	person      int              // that holds, or -1
	facts       []int            // that hold, a person's too
	assumptions []int            // that hold
	words       map[string][]int // all entries by their content
}

func (t *topic) add(i int, f *Fact, plain string) {
	t.words[plain] = append(t.words[plain], i)
	t.hold(i, f)
}

// hold notes an entry among those that hold, if it does.
func (t *topic) hold(i int, f *Fact) {
	if !f.Valid() {
		return
	}
	if f.Origin == OriginPerson {
		t.person = i
	}
	if f.Assumption {
		t.assumptions = append(t.assumptions, i)
	} else {
		t.facts = append(t.facts, i)
	}
}

// release takes an entry from those that hold.
func (t *topic) release(i int) {
	is := func(k int) bool { return k == i }
	t.facts, t.assumptions = slices.DeleteFunc(t.facts, is), slices.DeleteFunc(t.assumptions, is)
}

// take takes in what was said.
func (m *merging) take(f Fact) {
	t, plain := m.topics[f.Key], Plain(f.Content)
	at, repeated := m.like(t, &f, plain)
	switch {
	case repeated:
		return
	case at >= 0:
		m.confirm(t, at, &f)
	default:
		at = len(m.pool)
		f.ID = factID(at + 1)
		f.Sources = slices.DeleteFunc(f.Sources, func(ref string) bool { return ref == f.ID })
		f.Stale = m.rotten(&f)
		if f.Key != "" {
			f.SupersededBy = m.against(t, &f)
		}
		m.pool = append(m.pool, f)
		m.uses(at, f.Sources)
		t.add(at, &f, plain)
	}
	if f.Key != "" && m.pool[at].Valid() {
		m.prevail(t, at, &f)
	}
}

// like finds the entry that holds and says the same. repeated reports that who
// says it has said it before, and that something else holds since. Only a person
// takes back what they said, and says it again.
func (m *merging) like(t *topic, f *Fact, plain string) (at int, repeated bool) {
	at = -1
	for _, i := range t.words[plain] {
		e := &m.pool[i]
		switch {
		case e.Valid():
			at = i
		case e.Source == f.Source && e.Origin == f.Origin && e.Assumption == f.Assumption && f.Origin != OriginPerson:
			repeated = true
		}
	}
	return at, repeated && at < 0
}

// confirm adds what was said to an entry that says the same.
func (m *merging) confirm(t *topic, at int, f *Fact) {
	e := &m.pool[at]
	further := f.Source != e.Source && !slices.Contains(e.Sources, f.Source)
	if e.Stale != "" && (further && m.rotten(f) == "" || f.Origin == OriginPerson) {
		e.Stale = ""
	}
	refs, source := f.Sources, f.Source
	if f.standing() > e.standing() {
		t.release(at)
		source = e.Source
		e.Origin, e.Source, e.Wave, e.Assumption = f.Origin, f.Source, f.Wave, f.Assumption
		t.hold(at, e)
	}
	e.Confidence = max(e.Confidence, f.Confidence)
	var more []string
	for _, ref := range append(slices.Clip(refs), source) {
		if ref != "" && ref != e.ID && ref != e.Source && !slices.Contains(e.Sources, ref) && !slices.Contains(more, ref) {
			more = append(more, ref)
		}
	}
	if len(more) > 0 {
		e.Sources = slices.Concat(e.Sources, more) // a new one: the pool that this was made from keeps its own
		m.uses(at, more)
	}
}

// against is what keeps a new entry from holding; nil if nothing does.
func (m *merging) against(t *topic, f *Fact) *string {
	by := -1
	switch {
	case f.Origin == OriginPerson:
	case t.person >= 0:
		by = t.person
	case f.Assumption && len(t.facts) > 0:
		by = slices.Min(t.facts)
	}
	if by < 0 {
		return nil
	}
	id := m.pool[by].ID
	return &id
}

// prevail supersedes what an entry takes the place of, now that this was said.
func (m *merging) prevail(t *topic, at int, said *Fact) {
	var over []int
	switch standing := said.standing(); {
	case said.Origin == OriginPerson:
		over = slices.Concat(t.facts, t.assumptions)
	case t.person >= 0 || standing == 0:
	case said.Origin == OriginPlanner && !said.Assumption:
		over = slices.Concat(t.facts, t.assumptions)
	default:
		over = slices.Clone(t.assumptions)
	}
	over = slices.DeleteFunc(over, func(i int) bool { return i == at })
	if len(over) == 0 {
		return
	}
	slices.Sort(over)
	by := m.pool[at].ID
	t.facts, t.assumptions, t.person = keep(t.facts, over), keep(t.assumptions, over), -1
	if m.pool[at].Origin == OriginPerson {
		t.person = at
	}
	for _, i := range over {
		m.pool[i].SupersededBy = &by
		m.spoil(i)
	}
}

// keep are those of the entries that are not among the sorted others.
func keep(entries, others []int) []int {
	return slices.DeleteFunc(entries, func(i int) bool {
		_, found := slices.BinarySearch(others, i)
		return found
	})
}

// rotten is what a new entry rests on and that does not hold; "" if all does.
func (m *merging) rotten(f *Fact) string {
	if f.Origin == OriginPerson {
		return ""
	}
	for _, ref := range f.Sources {
		e := m.pool.Fact(ref)
		switch {
		case e == nil || e.Key == f.Key && f.Key != "":
		case !e.Valid():
			return e.ID
		case e.Stale != "":
			return e.Stale
		}
	}
	return ""
}

// spoil marks what rests on an entry that was superseded, however indirectly.
func (m *merging) spoil(root int) {
	if m.users == nil {
		m.users = map[string][]int{}
		for i := range m.pool {
			m.uses(i, m.pool[i].Sources)
		}
	}
	id := m.pool[root].ID
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		below := &m.pool[queue[0]]
		for _, i := range m.users[below.ID] {
			e := &m.pool[i]
			if e.Valid() && e.Stale == "" && e.Origin != OriginPerson && (e.Key == "" || e.Key != below.Key) {
				e.Stale = id
				queue = append(queue, i)
			}
		}
	}
}

// uses notes what an entry names as its sources, if somebody asks.
func (m *merging) uses(i int, refs []string) {
	if m.users == nil {
		return
	}
	for _, ref := range refs {
		m.users[ref] = append(m.users[ref], i)
	}
}
