package graph

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

type canvas struct{ strings.Builder }

func (c *canvas) addf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func esc(s string) string { return template.HTMLEscapeString(s) }

func (d *drawing) svg() string {
	c := &canvas{}
	width, height := max(d.width, 2*side), max(d.height, 2*side)
	c.addf(`<svg class="graph" role="group" aria-label="%s" width="%d" height="%d" viewBox="0 0 %d %d" xmlns="http://www.w3.org/2000/svg">`,
		esc(d.plan.Title), width, height, width, height)
	d.bands(c)
	for i, r := range d.rows {
		for _, it := range r.items {
			d.lines(c, i, it)
		}
	}
	for _, r := range d.rows {
		for _, it := range r.items {
			if !it.gap {
				d.box(c, it, r.y)
			}
		}
	}
	c.WriteString(`</svg>`)
	return c.String()
}

// bands draws what the boxes of a band lie on.
func (d *drawing) bands(c *canvas) {
	for first := 0; first < len(d.rows); {
		last := first
		for last+1 < len(d.rows) && d.rows[last+1].band == d.rows[first].band {
			last++
		}
		if n := d.rows[first].band; n > 0 {
			top, bottom := d.rows[first].y-bandHeader-10, d.rows[last].y+boxHeight+12
			c.addf(`<rect class="band" x="4" y="%d" width="%d" height="%d" rx="10"/><text class="band-name" x="%d" y="%d">%s %d</text>`,
				top, d.width-8, bottom-top, side, top+19, esc(d.plan.Band), n)
		}
		first = last + 1
	}
}

// lines draws what leaves an item downwards, and how it passes a gap. Between two
// rows a line bends and stays clear of both.
func (d *drawing) lines(c *canvas, i int, it *item) {
	if len(it.below) == 0 {
		return
	}
	from := d.rows[i].y + boxHeight
	to := d.rows[i+1].y
	bend := (to - from) / 2
	c.addf(`<path class="line s-%s" d="`, d.plan.Nodes[it.node].State)
	if it.gap {
		c.addf(`M%d %dV%d`, it.x, d.rows[i].y, from)
	}
	for _, below := range it.below {
		c.addf(`M%d %dC%d %d %d %d %d %d`, it.x, from, it.x, from+bend, below.x, to-bend, below.x, to)
	}
	c.WriteString(`"/>`)
	for _, below := range it.below {
		if !below.gap {
			c.addf(`<path class="tip" d="M%d %dl-4 -7h8z"/>`, below.x, to)
		}
	}
}

func (d *drawing) box(c *canvas, it *item, y int) {
	n := d.plan.Nodes[it.node]
	class, title, note := "", n.Title, n.Note
	if n.Stale {
		class = " stale"
	}
	if left := d.left[it.node]; left > 0 {
		note = fmt.Sprintf("↥%d %s", left, note)
		title += fmt.Sprintf(", waits for %d more, not drawn", left)
	}
	x := it.x - boxWidth/2
	c.addf(`<a class="block s-%s%s" href="%s"><title>%s</title>`, n.State, class, esc(n.Href), esc(title))
	c.addf(`<path d="%s"/>`, outline(n, x, y))
	c.addf(`<text class="mark" x="%d" y="%d">%s</text>`, x+17, y+boxHeight/2+5, n.State.Mark())
	c.addf(`<text class="label" x="%d" y="%d">%s</text>`, x+31, y+19, esc(plain.Clip(n.Label, 25)))
	c.addf(`<text class="note" x="%d" y="%d">%s</text></a>`, x+31, y+34, esc(plain.Clip(note, 30)))
}

// outline is the shape of a box: pointed if it waits for a person, without a corner if
// it is stale.
func outline(n Node, x, y int) string {
	const round, cut, point = 7, 14, 8
	if n.State == track.Waiting {
		return fmt.Sprintf("M%d %dh%dl%d %dl%d %dh%dl%d %dz", x+point, y, boxWidth-2*point, point, boxHeight/2, -point, boxHeight/2, 2*point-boxWidth, -point, -boxHeight/2)
	}
	corner, used := fmt.Sprintf("q%d 0 %d %d", round, round, round), round
	if n.Stale {
		corner, used = fmt.Sprintf("l%d %d", cut, cut), cut
	}
	return fmt.Sprintf("M%d %dh%d%sv%dq0 %d %d %dh%dq%d 0 %d %dv%dq0 %d %d %dz", x+round, y, boxWidth-round-used, corner,
		boxHeight-used-round, round, -round, round, 2*round-boxWidth, -round, -round, -round, 2*round-boxHeight, -round, round, -round)
}
