package graph

import (
	"cmp"
	"slices"
)

// Bounds of a drawing: how many boxes lie side by side, and how many lines pass
// between them.
const (
	rowBoxes = 5
	rowLanes = 14
)

// item is a box in a row, or the gap through which the lines of a box above pass.
type item struct {
	node  int // of the box; for a gap, the one whose lines pass
	gap   bool
	x     int     // its middle
	wish  float64 // where it would like to be
	above []*item // whose lines end here
	below []*item
}

func (i *item) width() int {
	if i.gap {
		return laneWidth
	}
	return boxWidth + boxGap
}

type row struct {
	band  int
	items []*item
	lanes int
	y     int // of its boxes' upper edge
}

type drawing struct {
	plan   Plan
	rows   []*row
	boxes  []*item // by node
	at     []int   // row by node
	left   []int   // lines that are not drawn, by node they lead to
	width  int
	height int
}

func newDrawing(p Plan) *drawing {
	d := &drawing{plan: p, boxes: make([]*item, len(p.Nodes)), at: make([]int, len(p.Nodes)), left: make([]int, len(p.Nodes))}
	before := befores(p.Nodes)
	d.fill(depths(p.Nodes, before))
	d.connect(before)
	return d
}

// befores are the nodes that each node waits for.
func befores(nodes []Node) [][]int {
	byID := make(map[string]int, len(nodes))
	for i, n := range nodes {
		byID[n.ID] = i
	}
	before := make([][]int, len(nodes))
	for i, n := range nodes {
		for _, id := range n.After {
			if k, ok := byID[id]; ok && k != i && !slices.Contains(before[i], k) {
				before[i] = append(before[i], k)
			}
		}
	}
	return before
}

// Depths is how many nodes come before each, at least; see [depths].
func Depths(nodes []Node) []int { return depths(nodes, befores(nodes)) }

// depths is how many nodes of its band come before each, at least. Nodes in a cycle
// are as deep as they were when it was found.
func depths(nodes []Node, before [][]int) []int {
	depth := make([]int, len(nodes))
	waits, after := make([]int, len(nodes)), make([][]int, len(nodes))
	for i := range nodes {
		for _, k := range before[i] {
			if nodes[k].Band == nodes[i].Band {
				waits[i]++
				after[k] = append(after[k], i)
			}
		}
	}
	var queue []int
	for i, n := range waits {
		if n == 0 {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, i := range after[queue[0]] {
			depth[i] = max(depth[i], depth[queue[0]]+1)
			if waits[i]--; waits[i] == 0 {
				queue = append(queue, i)
			}
		}
	}
	return depth
}

// fill puts the nodes into rows, band by band and the deeper ones further down.
func (d *drawing) fill(depth []int) {
	order := make([]int, len(d.plan.Nodes))
	for i := range order {
		order[i] = i
	}
	nodes := d.plan.Nodes
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(nodes[a].Band, nodes[b].Band), cmp.Compare(depth[a], depth[b]))
	})
	for n, i := range order {
		last := len(d.rows) - 1
		if n == 0 || nodes[i].Band != nodes[order[n-1]].Band || depth[i] != depth[order[n-1]] || len(d.rows[last].items) == rowBoxes {
			d.rows = append(d.rows, &row{band: nodes[i].Band})
			last++
		}
		d.boxes[i] = &item{node: i}
		d.at[i] = last
		d.rows[last].items = append(d.rows[last].items, d.boxes[i])
	}
}

// connect leads the lines of each node down to those that wait for it. In each row
// that they pass they share one gap.
func (d *drawing) connect(before [][]int) {
	after := make([][]int, len(before))
	for i := range before {
		for _, k := range before[i] {
			if d.at[k] < d.at[i] {
				after[k] = append(after[k], i)
			} else {
				d.left[i]++
			}
		}
	}
	for i, list := range after {
		slices.SortFunc(list, func(a, b int) int { return d.at[a] - d.at[b] })
		end := d.boxes[i]
		for r := d.at[i] + 1; ; r++ {
			for ; len(list) > 0 && d.at[list[0]] == r; list = list[1:] {
				join(end, d.boxes[list[0]])
			}
			if len(list) == 0 {
				break
			}
			if d.rows[r].lanes == rowLanes {
				for _, k := range list {
					d.left[k]++
				}
				break
			}
			end = d.pass(end, i, r)
		}
	}
}

// pass leads a line through a row.
func (d *drawing) pass(from *item, node, r int) *item {
	gap := &item{node: node, gap: true}
	d.rows[r].lanes++
	d.rows[r].items = append(d.rows[r].items, gap)
	join(from, gap)
	return gap
}

func join(above, below *item) {
	above.below = append(above.below, below)
	below.above = append(below.above, above)
}
