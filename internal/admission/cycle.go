package admission

import "slices"

// cycles refuses pieces that wait for one another, and returns all pieces in an
// order in which each comes behind what it comes after; where nothing else is
// said, as the request has them.
func (j *judge) cycles() (order []int) {
	order = make([]int, 0, len(j.Pieces))
	for _, tangle := range components(j.edges) {
		order = append(order, tangle...)
		if len(tangle) > 1 {
			j.name(tangle)
		}
	}
	return order
}

// name refuses each member of a tangle for a cycle that it is in. One tangle may
// hold very many cycles: once so many were named that a planner has enough to
// put right, the rest of the members are given the first.
func (j *judge) name(tangle []int) {
	slices.Sort(tangle)
	t := newTangle(j.edges, tangle)
	var first []string
	enough := 8 * len(tangle)
	for _, m := range tangle {
		switch {
		case t.named[m]:
			continue
		case enough < 0:
			j.cycle(m, first)
			continue
		}
		round := t.through(m)
		enough -= len(round)
		ids := make([]string, len(round))
		for i, k := range round {
			ids[i] = j.Pieces[k].ID
		}
		if first == nil {
			first = ids
		}
		for _, k := range round {
			if !t.named[k] {
				t.named[k] = true
				j.cycle(k, ids)
			}
		}
	}
}

// tangle is pieces of which each waits for each other, directly or not. From and
// to its first member there is a shortest way each.
type tangle struct {
	root  int
	near  int         // what the root waits for on its shortest cycle
	back  map[int]int // member → the one before it on the way from the root
	next  map[int]int // member → the one behind it on the way to the root
	named map[int]bool
}

func newTangle(edges [][]int, members []int) *tangle {
	t := &tangle{root: members[0], near: -1, named: make(map[int]bool, len(members))}
	inside := make(map[int]bool, len(members))
	reverse := make(map[int][]int, len(members))
	for _, m := range members {
		inside[m] = true
	}
	for _, m := range members {
		for _, d := range edges[m] {
			if inside[d] {
				reverse[d] = append(reverse[d], m)
			}
		}
	}
	t.back, _ = spread(t.root, func(m int) []int { return edges[m] }, inside)
	next, far := spread(t.root, func(m int) []int { return reverse[m] }, inside)
	t.next = next
	for _, d := range edges[t.root] {
		if inside[d] && (t.near < 0 || far[d] < far[t.near]) {
			t.near = d
		}
	}
	return t
}

// spread goes from the root along edges, and says for each member whence it was
// first reached and how far it is.
func spread(root int, edges func(int) []int, inside map[int]bool) (from, far map[int]int) {
	from, far = map[int]int{}, map[int]int{root: 0}
	queue := []int{root}
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		for _, d := range edges(m) {
			if _, seen := far[d]; !seen && inside[d] {
				from[d], far[d] = m, far[m]+1
				queue = append(queue, d)
			}
		}
	}
	return from, far
}

// through is a cycle that a member is in, each waiting for the next. It begins
// with the one that the request has first.
func (t *tangle) through(m int) []int {
	var round []int
	if m == t.root {
		round = []int{m}
		for k := t.near; k != t.root; k = t.next[k] {
			round = append(round, k)
		}
	} else {
		way := []int{m} // from m back to the root
		on := map[int]bool{}
		for k := m; k != t.root; {
			k = t.back[k]
			way = append(way, k)
			on[k] = true
		}
		round = []int{m}
		k := t.next[m]
		for ; !on[k]; k = t.next[k] {
			round = append(round, k)
		}
		ahead := way[1 : slices.Index(way, k)+1] // from m's predecessor to where both ways meet
		for _, k := range slices.Backward(ahead) {
			round = append(round, k)
		}
	}
	start := slices.Index(round, slices.Min(round))
	return slices.Concat(round[start:], round[:start])
}
