package admission

import "slices"

// cycles refuses pieces that wait for one another. It returns all pieces in an order in which each comes behind what it
// comes after, and otherwise as the request has them.
func (j *judge) cycles() (order []int) {
	order = make([]int, 0, len(j.Pieces))
	for _, tangle := range components(j.edges) {
		order = append(order, tangle...)
		if len(tangle) > 1 {
			j.untangle(tangle)
		}
	}
	return order
}

// untangle refuses pieces of which each waits for each other, directly or not: each for a shortest cycle that it is in.
// There may be very many cycles: once enough were named for a planner to work on, the remaining pieces are given the first.
func (j *judge) untangle(tangle []int) {
	slices.Sort(tangle)
	named := map[int]bool{}
	var first []string
	enough := 8 * len(tangle)
	for _, m := range tangle {
		switch {
		case named[m]:
			continue
		case enough < 0:
			j.cycle(m, first)
			continue
		}
		round := j.round(m)
		enough -= len(round)
		ids := make([]string, len(round))
		for i, k := range round {
			ids[i] = j.Pieces[k].ID
		}
		if first == nil {
			first = ids
		}
		for _, k := range round {
			if !named[k] {
				named[k] = true
				j.cycle(k, ids)
			}
		}
	}
}

// round is a shortest cycle through a piece that is in one, each member waiting for the next. It begins with the member
// that the request has first.
func (j *judge) round(m int) []int {
	from := make([]int, len(j.edges)) // the piece that first led to another, counted from 1; 0 is none
	queue := []int{m}
	for !slices.Contains(j.edges[queue[0]], m) {
		for _, d := range j.edges[queue[0]] {
			if from[d] == 0 {
				from[d] = queue[0] + 1
				queue = append(queue, d)
			}
		}
		queue = queue[1:]
	}
	var cycle []int
	for k := queue[0]; k != m; k = from[k] - 1 {
		cycle = append(cycle, k)
	}
	cycle = append(cycle, m)
	slices.Reverse(cycle)
	start := slices.Index(cycle, slices.Min(cycle))
	return slices.Concat(cycle[start:], cycle[:start])
}
