package redact

// automaton finds many byte strings in one pass (Aho-Corasick as a table of transitions). The bytes that no pattern
// holds share one column, so the table stays small.
type automaton struct {
	class   [256]uint8 // byte to column
	columns int
	next    []uint32 // row of a state to next row; hitFlag is set where a pattern ends
	depth   []int    // by state: length of the longest unfinished pattern at the end of the text
	ends    [][]int  // by state: patterns that end here, longest first
}

const hitFlag = 1 << 31

// newAutomaton builds the automaton of patterns, all non-empty. With foldCase, patterns must be lower case and match
// ASCII letters of either case.
func newAutomaton(patterns [][]byte, foldCase bool) *automaton {
	a := &automaton{columns: 1}
	for _, p := range patterns {
		for _, c := range p {
			if a.class[c] == 0 {
				a.class[c] = uint8(a.columns % 256)
				a.columns++
			}
		}
	}
	if a.columns > 256 { // the patterns hold all bytes, and no column is left for any other
		a.columns = 256
		for c := range a.class {
			a.class[c] = uint8(c)
		}
	}
	if foldCase {
		for c := 'a'; c <= 'z'; c++ {
			a.class[c-'a'+'A'] = a.class[c]
		}
	}
	states := 1 // at most
	for _, p := range patterns {
		states += len(p)
	}
	a.next, a.depth, a.ends = make([]uint32, 0, states*a.columns), make([]int, 0, states), make([][]int, 0, states)
	a.addState(0)
	for i, p := range patterns {
		a.insert(i, p)
	}
	a.link()
	return a
}

func (a *automaton) addState(depth int) int {
	a.next = a.next[:len(a.next)+a.columns] // there is room, and it is zero
	a.depth = append(a.depth, depth)
	a.ends = append(a.ends, nil)
	return len(a.depth) - 1
}

func (a *automaton) insert(pattern int, text []byte) {
	state := 0
	for i, c := range text {
		cell := state*a.columns + int(a.class[c])
		if a.next[cell] == 0 {
			child := a.addState(i + 1)
			a.next[cell] = uint32(child)
		}
		state = int(a.next[cell])
	}
	a.ends[state] = append(a.ends[state], pattern)
}

// link turns the tree of patterns into the automaton, breadth first: a missing transition becomes that of the state's
// longest proper suffix, which is nearer the root and so already complete.
func (a *automaton) link() {
	suffix := make([]int, len(a.depth))
	queue := []int{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		if state != 0 {
			a.ends[state] = append(a.ends[state], a.ends[suffix[state]]...)
		}
		isLeaf := true
		for col := range a.columns {
			cell := state*a.columns + col
			fallback := 0
			if state != 0 {
				fallback = int(a.next[suffix[state]*a.columns+col])
			}
			child := int(a.next[cell])
			if child == 0 {
				a.next[cell] = uint32(fallback)
				continue
			}
			isLeaf = false
			suffix[child] = fallback
			queue = append(queue, child)
		}
		if isLeaf {
			a.depth[state] = a.depth[suffix[state]]
		}
	}
	for cell, target := range a.next {
		row := target * uint32(a.columns)
		if len(a.ends[target]) > 0 {
			row |= hitFlag
		}
		a.next[cell] = row
	}
}

// scan calls hit with every pattern and the index just after it. It returns the length of the longest unfinished
// pattern that text ends with.
func (a *automaton) scan(text []byte, hit func(pattern, end int)) int {
	row := uint32(0)
	for i, c := range text {
		row = a.next[row+uint32(a.class[c])]
		if row&hitFlag == 0 {
			continue
		}
		row &^= hitFlag
		for _, pattern := range a.ends[int(row)/a.columns] {
			hit(pattern, i+1)
		}
	}
	return a.depth[int(row)/a.columns]
}
