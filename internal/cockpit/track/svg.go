package track

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

type canvas struct{ strings.Builder }

func (c *canvas) addf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func esc(s string) string { return template.HTMLEscapeString(s) }

func (d *drawing) svg() string {
	c := &canvas{}
	c.addf(`<svg class="track" role="group" aria-label="%s" width="%d" height="%d" viewBox="0 0 %d %d" xmlns="http://www.w3.org/2000/svg">`,
		esc(d.plan.Title), d.width, d.height, d.width, d.height)
	for i, r := range d.rows {
		d.mainTrack(c, i, r)
	}
	for _, p := range d.places {
		d.section(c, p)
	}
	c.WriteString(`</svg>`)
	return c.String()
}

// mainTrack draws the ends of the main track in a row; its middle is coloured
// section by section.
func (d *drawing) mainTrack(c *canvas, i int, r row) {
	first, last := i == 0, i == len(d.rows)-1
	c.addf(`<path class="rail" d="M%d %dH%d"/>`, 6, r.main, sideRoom)
	if !last {
		c.addf(`<path class="rail" d="M%d %dH%d"/><text class="more" x="%d" y="%d">↩</text>`, r.end, r.main, r.end+12, r.end+16, r.main+4)
	}
	if first {
		c.addf(`<circle class="buffer" cx="6" cy="%d" r="4"><title>%s</title></circle>`, r.main, esc("from "+d.plan.From))
	}
	if last {
		c.addf(`<path class="rail" d="M%d %dH%d"/>`, r.end, r.main, r.end+sideRoom-6)
	}
}

func (d *drawing) section(c *canvas, p place) {
	r, s := d.rows[p.row], p.section
	end := p.x + p.width
	c.addf(`<g class="section"><text class="name" x="%d" y="%d">%s</text>`, p.x+blockGap, r.top+14, esc(plain.Clip(s.Title, p.width/7)))
	c.addf(`<path class="rail s-%s" d="M%d %dH%d"/>`, s.State, p.x, r.main, end)
	switch {
	case s.crowded():
		c.WriteString(`<g class="crowd">`)
		crowdLines(c, s, p.x, r.main)
		c.WriteString(`</g>`)
	case s.beside():
		back := end - fork
		if s.Signal != nil {
			back -= signalRoom
		}
		for i, l := range s.Lines {
			d.line(c, l, ways{x: p.x, back: back, main: r.main, y: r.main + (i+1)*laneHeight})
		}
	case len(s.Lines) == 1:
		blocks(c, s.Lines[0].Blocks, p.x+blockGap, r.main)
	}
	if s.Signal != nil {
		signal(c, *s.Signal, end-signalRoom/2, r.main)
	}
	c.WriteString(`</g>`)
}

// ways are how a track at height y leaves the main one at x and is back on it
// right after back.
type ways struct {
	x, back, main, y int
}

func (w ways) leave() string {
	bend := w.x + fork/2
	return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", w.x, w.main, bend, w.main, bend, w.y, w.x+fork, w.y)
}

func (w ways) join() string {
	bend := w.back + fork/2
	return fmt.Sprintf("C%d %d %d %d %d %d", bend, w.y, bend, w.main, w.back+fork, w.main)
}

// line draws a track beside the main one.
func (d *drawing) line(c *canvas, l Line, w ways) {
	x, back, y := w.x, w.back, w.y
	c.addf(`<path class="rail s-%s" d="%sH%d`, l.State, w.leave(), back)
	if l.State == Passed {
		c.WriteString(w.join())
	}
	c.WriteString(`"/>`)
	if l.State != Passed {
		c.addf(`<path class="end s-%s" d="M%d %dv12"/>`, l.State, back, y-6)
	}
	if l.Name != "" {
		c.addf(`<text class="branch" x="%d" y="%d">%s<title>%s</title></text>`, x+fork+2, y-blockHeight/2-3, esc(plain.Clip(l.Name, (back-x-fork)/letter)), esc(l.Name))
	}
	blocks(c, l.Blocks, x+fork+blockGap, y)
}

// marks say a state without colour.
func mark(s State) string {
	switch s {
	case Under:
		return "●"
	case Waiting:
		return "◆"
	case Passed:
		return "✓"
	case Failed:
		return "✕"
	case Still:
		return "–"
	case Ahead:
	}
	return "○"
}

func blocks(c *canvas, list []Block, x, y int) {
	for _, b := range list {
		c.addf(`<a class="block s-%s" href="%s" aria-label="%s"><title>%s</title>`, b.State, esc(b.Href), esc(b.Title), esc(b.Title))
		c.addf(`<rect x="%d" y="%d" width="%d" height="%d" rx="6"/>`, x, y-blockHeight/2, blockWidth, blockHeight)
		c.addf(`<text class="mark" x="%d" y="%d">%s</text>`, x+14, y+5, mark(b.State))
		c.addf(`<text class="label" x="%d" y="%d">%s</text>`, x+27, y-2, esc(plain.Clip(b.Label, 15)))
		c.addf(`<text class="note" x="%d" y="%d">%s</text></a>`, x+27, y+12, esc(plain.Clip(b.Note, 18)))
		x += blockWidth + blockGap
	}
}

// signal draws a mast with three lights beside the track, the lit one by the
// signal's aspect.
func signal(c *canvas, s Signal, x, y int) {
	c.addf(`<a class="signal a-%s" href="%s" aria-label="%s"><title>%s</title>`, s.Aspect, esc(s.Href), esc(s.Title), esc(s.Title))
	c.addf(`<path class="mast" d="M%d %dV%d"/><rect x="%d" y="%d" width="16" height="38" rx="7"/>`, x, y, y-8, x-8, y-44)
	for i, colour := range []string{"red", "amber", "green"} {
		c.addf(`<circle class="%s" cx="%d" cy="%d" r="4"/>`, colour, x, y-37+i*12)
	}
	c.WriteString(`</a>`)
}
