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
	d.number()
	for n := range sweeps {
		d.sweep(n%2 == 0, func(r *row, toward func(*item) []*item) {
			for _, it := range r.items {
				it.wish = middle(toward(it), float64(it.x))
			}
			slices.SortStableFunc(r.items, func(a, b *item) int { return cmp.Compare(a.wish, b.wish) })
			number(r)
		})
	}
}

// sweep looks at the rows from above or from below, each with what is connected
// to it on the side that was looked at before.
func (d *drawing) sweep(down bool, look func(*row, func(*item) []*item)) {
	for i := range d.rows {
		if down {
			look(d.rows[i], func(it *item) []*item { return it.above })
		} else {
			look(d.rows[len(d.rows)-1-i], func(it *item) []*item { return it.below })
		}
	}
}

// number packs each row's items from the left, about its middle.
func (d *drawing) number() {
	for _, r := range d.rows {
		number(r)
	}
}

func number(r *row) {
	width := 0
	for _, it := range r.items {
		width += it.width()
	}
	x := -width / 2
	for _, it := range r.items {
		it.x = x + it.width()/2
		x += it.width()
	}
}

// middle is the mean place of what an item is connected to.
func middle(of []*item, otherwise float64) float64 {
	if len(of) == 0 {
		return otherwise
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
		width := 0
		for _, it := range r.items {
			width += it.width()
		}
		most = max(most, width)
	}
	for n := range sweeps {
		d.sweep(n%2 == 0, func(r *row, toward func(*item) []*item) {
			for _, it := range r.items {
				it.wish = middle(toward(it), float64(it.x))
			}
			settle(r.items, most)
		})
	}
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

// settle gives items the places nearest to their wishes, all taken together,
// that keep their order and do not overlap. Those that would are pushed together
// and move as one.
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
