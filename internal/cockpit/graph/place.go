package graph

import (
	"cmp"
	"slices"
)

// The measures of a drawing, in pixels.
const (
	boxWidth   = 220
	boxHeight  = 44
	boxGap     = 20
	laneWidth  = 16
	rowGap     = 46
	side       = 16
	bandHeader = 26
)

// sweeps is how often rows are put in order, and in place, after one another.
const sweeps = 6

// order puts the items of each row next to what they are connected with, so that
// few lines cross.
func (d *drawing) order() {
	for _, r := range d.rows {
		r.pack()
	}
	d.sweep(func(r *row) {
		slices.SortStableFunc(r.items, func(a, b *item) int { return cmp.Compare(a.wish, b.wish) })
		r.pack()
	})
}

// sweep goes through the rows from above and from below in turn. Each item wishes
// for the middle of what it is connected to in the row before; then the row is set.
func (d *drawing) sweep(set func(*row)) {
	for n := range sweeps {
		for i := range d.rows {
			r, down := d.rows[i], n%2 == 0
			if !down {
				r = d.rows[len(d.rows)-1-i]
			}
			for _, it := range r.items {
				if it.wish = middle(it.above, it.x); !down {
					it.wish = middle(it.below, it.x)
				}
			}
			set(r)
		}
	}
}

// pack sets a row's items side by side, about the middle.
func (r *row) pack() {
	x := -r.width() / 2
	for _, it := range r.items {
		it.x = x + it.width()/2
		x += it.width()
	}
}

func (r *row) width() int {
	width := 0
	for _, it := range r.items {
		width += it.width()
	}
	return width
}

// middle is the mean place of items; without any it is otherwise.
func middle(of []*item, otherwise int) float64 {
	if len(of) == 0 {
		return float64(otherwise)
	}
	sum := 0
	for _, it := range of {
		sum += it.x
	}
	return float64(sum) / float64(len(of))
}

// place moves the items towards what they are connected with, as far as their
// order and the drawing's width allow.
func (d *drawing) place() {
	most := 0
	for _, r := range d.rows {
		most = max(most, r.width())
	}
	d.sweep(func(r *row) { settle(r.items, most) })
	d.width = most + 2*side
	y := side
	for i, r := range d.rows {
		switch {
		case i > 0 && r.band != d.rows[i-1].band:
			y += rowGap + bandHeader
		case i > 0:
			y += rowGap
		case r.band > 0:
			y += bandHeader
		}
		r.y = y
		y += boxHeight
		for _, it := range r.items {
			it.x += d.width / 2
		}
	}
	d.height = y + side
}

// block is a run of items that touch one another.
type block struct {
	sum   float64 // of where its items would like the first of it to be
	n     int
	width int
}

func (b block) at() float64 { return b.sum / float64(b.n) }

// settle places items as near to their wishes as possible, in their order and without
// overlap. Items that would overlap are pushed together and move as one.
func settle(items []*item, most int) {
	var blocks []block
	for _, it := range items {
		blocks = append(blocks, block{sum: it.wish - float64(it.width())/2, n: 1, width: it.width()})
		for len(blocks) > 1 {
			last, before := blocks[len(blocks)-1], blocks[len(blocks)-2]
			if before.at()+float64(before.width) <= last.at() {
				break
			}
			before.sum += last.sum - float64(last.n*before.width)
			before.n += last.n
			before.width += last.width
			blocks = append(blocks[:len(blocks)-2], before)
		}
	}
	room := 0 // of the blocks that follow
	for _, b := range blocks {
		room += b.width
	}
	left, i := -most/2, 0
	for _, b := range blocks {
		x := min(max(int(b.at()), left), most/2-room)
		for range b.n {
			items[i].x = x + items[i].width()/2
			x += items[i].width()
			i++
		}
		left, room = x, room-b.width
	}
}
