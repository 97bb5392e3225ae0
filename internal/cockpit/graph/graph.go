// Package graph draws pieces of work and their dependencies: rows from top to bottom,
// each piece below everything it waits for, and lines that run between the boxes and
// never through one. It knows geometry and nothing of runs.
package graph

import (
	"html/template"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

// Node is a piece of work.
type Node struct {
	ID    string
	Label string // a word or two
	Note  string // smaller, below it
	Title string // all of it, as a tooltip
	State track.State
	Stale bool // it was built on something that is no longer valid
	Href  string
	Band  int      // pieces of one band lie together, lower ones above; 0 if there are none
	After []string // nodes it waits for
}

// Plan is what is to be drawn.
type Plan struct {
	Title string // what the drawing shows, for people who cannot see it
	Band  string // what a band is called, before its number
	Nodes []Node
}

// Draw draws a plan as SVG. Texts are escaped; colours come from the style sheet. A
// line for which there is no room, or that would lead upwards, is left out and counted
// on the box instead, so that a drawing stays readable.
func Draw(p Plan) template.HTML {
	d := newDrawing(p)
	d.order()
	d.place()
	return template.HTML(d.svg()) //nolint:gosec // everything that is not ours was escaped
}
