package track

import "unicode/utf8"

// The measures of a drawing, in pixels.
const (
	rowWidth    = 1160 // a row that would be longer goes on below
	blockWidth  = 132
	blockHeight = 40
	blockGap    = 20
	laneHeight  = 58
	fork        = 34 // room for a track to leave the main one, and to come back
	signalRoom  = 34
	titleRoom   = 24
	sideRoom    = 26
	rowGap      = 18
	nameMost    = 40 // letters of a name that a section grows for
)

// place is a section with its place.
type place struct {
	section Section
	x       int // where it begins
	width   int
	row     int
}

// beside reports that the section's lines do not lie on the main track.
func (s Section) beside() bool { return len(s.Lines) > 1 || len(s.Lines) == 1 && s.Lines[0].Name != "" }

func (s Section) width() int {
	width := s.longest()*(blockWidth+blockGap) + blockGap
	switch {
	case s.crowded():
		n, column, _ := s.columns()
		width = n * column
	case s.beside():
		width = max(width, s.named()) + 2*fork
	}
	if s.Signal != nil {
		width += signalRoom
	}
	return width
}

// named is how much room the longest name of a track takes, up to a bound.
func (s Section) named() int {
	most := 0
	for _, l := range s.Lines {
		most = max(most, utf8.RuneCountInString(l.Name))
	}
	return min(most, nameMost)*letter + blockGap/2
}

// longest is how many blocks lie on the section's longest track.
func (s Section) longest() int {
	most := 1
	for _, l := range s.Lines {
		most = max(most, len(l.Blocks))
	}
	return most
}

// depth is how much room the section's tracks take below the main one.
func (s Section) depth() int {
	switch {
	case s.crowded():
		_, _, deep := s.columns()
		return deep * crowdLane
	case s.beside():
		return len(s.Lines) * laneHeight
	}
	return 0
}

// row is a stretch of the main track with what lies beside it.
type row struct {
	top, main int // of the row, and of its main track
	depth     int
	end       int
}

type drawing struct {
	plan   Plan
	places []place
	rows   []row
	width  int
	height int
}

// lay places the sections one after the other, in as many rows as they need.
func (d *drawing) lay() {
	x := sideRoom
	d.rows = []row{{}}
	for _, s := range d.plan.Sections {
		w := s.width()
		if x > sideRoom && x+w > rowWidth {
			d.rows[len(d.rows)-1].end = x
			d.rows = append(d.rows, row{})
			x = sideRoom
		}
		last := &d.rows[len(d.rows)-1]
		last.depth = max(last.depth, s.depth())
		d.places = append(d.places, place{section: s, x: x, width: w, row: len(d.rows) - 1})
		x += w
		last.end = x
	}
	y := 0
	for i := range d.rows {
		r := &d.rows[i]
		r.top = y
		r.main = y + titleRoom + blockHeight/2 + 8
		y = r.main + blockHeight/2 + r.depth + rowGap
		d.width = max(d.width, r.end+sideRoom)
	}
	d.height = y
}
