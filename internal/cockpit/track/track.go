// Package track draws a run as a signal box shows its lines: branches are tracks,
// tasks are blocks on them, and at each gate there is a signal. It knows geometry and
// nothing of runs.
package track

import "html/template"

// State is how a block or a track looks. It is said by shape as well as colour.
type State string

// The states of blocks and tracks.
const (
	Ahead   State = "ahead"   // not reached
	Under   State = "under"   // worked on
	Waiting State = "waiting" // for a person
	Passed  State = "passed"
	Failed  State = "failed"
	Still   State = "still" // left out, given up or standing still
)

// Aspect is what a signal shows.
type Aspect string

// The aspects of a signal.
const (
	Dark  Aspect = "dark"  // nothing has come near it
	Stop  Aspect = "stop"  // red: a person has to let it pass
	Check Aspect = "check" // amber: what comes is being made or checked
	Clear Aspect = "clear" // green: let through
)

// Block is a task.
type Block struct {
	Label string // a word or two
	Note  string // smaller, below it
	Title string // all of it, as a tooltip
	State State
	Href  string
}

// Line is a track beside the main one: a branch, or one of several at work.
type Line struct {
	Name   string
	State  State
	Blocks []Block
}

// Signal stands at the end of a section, on the main track.
type Signal struct {
	Aspect Aspect
	Title  string
	Href   string
}

// Section is a part of the run, from left to right. One line without a name
// lies on the main track, others beside it.
type Section struct {
	Title  string
	State  State
	Lines  []Line
	Signal *Signal
}

// Plan is what is to be drawn.
type Plan struct {
	From     string // name of the branch that the main track leaves
	Title    string // what the drawing shows, for people who cannot see it
	Sections []Section
}

// Draw draws a plan as SVG. Texts are escaped; colours come from the style sheet.
func Draw(p Plan) template.HTML {
	d := drawing{plan: p}
	d.lay()
	return template.HTML(d.svg()) //nolint:gosec // everything that is not ours was escaped
}

// Mark says a state in a character, for people who do not see its colour.
func (s State) Mark() string { return mark(s) }
