package admission

// components are the strongly connected components of a graph (Tarjan), each after all components that its members have
// edges to, starting from the vertices in their order. It keeps its own stack, because a chain may be longer than a call
// stack should be deep.
func components(edges [][]int) [][]int {
	c := search{edges: edges, number: make([]int, len(edges)), low: make([]int, len(edges)), held: make([]bool, len(edges))}
	for v := range edges {
		if c.number[v] == 0 {
			c.from(v)
		}
	}
	return c.found
}

type search struct {
	edges  [][]int
	number []int  // in the order of discovery, from 1; 0 is not seen yet
	low    []int  // least number that a vertex reaches
	held   []bool // on the stack
	stack  []int
	count  int
	found  [][]int
}

// visit is a vertex and the next of its edges to follow.
type visit struct{ vertex, edge int }

func (c *search) enter(v int) visit {
	c.count++
	c.number[v], c.low[v], c.held[v] = c.count, c.count, true
	c.stack = append(c.stack, v)
	return visit{vertex: v}
}

func (c *search) from(v int) {
	path := []visit{c.enter(v)}
	for len(path) > 0 {
		at := &path[len(path)-1]
		if at.edge < len(c.edges[at.vertex]) {
			to := c.edges[at.vertex][at.edge]
			at.edge++
			switch {
			case c.number[to] == 0:
				path = append(path, c.enter(to))
			case c.held[to]:
				c.low[at.vertex] = min(c.low[at.vertex], c.number[to])
			}
			continue
		}
		done := at.vertex
		path = path[:len(path)-1]
		if len(path) > 0 {
			above := path[len(path)-1].vertex
			c.low[above] = min(c.low[above], c.low[done])
		}
		if c.low[done] == c.number[done] {
			c.take(done)
		}
	}
}

// take takes the component of a vertex off the stack.
func (c *search) take(v int) {
	at := len(c.stack) - 1
	for c.stack[at] != v {
		at--
	}
	members := append([]int(nil), c.stack[at:]...)
	c.stack = c.stack[:at]
	for _, m := range members {
		c.held[m] = false
	}
	c.found = append(c.found, members)
}
