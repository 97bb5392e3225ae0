package track

import "github.com/stellwerk-dev/stellwerk/internal/plain"

// A crowd is a section of very many tracks. It is drawn small, so that it can be
// looked over: in columns, every block as its mark, and without the ways back.
const (
	crowd     = 17 // so many tracks are one
	crowdLane = 30
	crowdTop  = blockHeight/2 + crowdLane // from the main track to the first of them
	chipWidth = 26
	chipRoom  = chipWidth + 6 // with the gap behind it
	chip      = 20            // its height
	nameRoom  = 138
	letter    = 6 // about as wide as one of a name
)

// crowded reports that a section's tracks are drawn small.
func (s Section) crowded() bool { return len(s.Lines) >= crowd }

// columns is how many columns a crowd has, how wide each is, and how many tracks
// lie below one another in it.
func (s Section) columns() (n, width, deep int) {
	width = fork + s.longest()*chipRoom + nameRoom
	n = max(1, (rowWidth-sideRoom-signalRoom)/width)
	deep = (len(s.Lines) + n - 1) / n
	n = (len(s.Lines) + deep - 1) / deep
	return n, width, deep
}

// crowdLines draws the tracks of a crowd from x on, below the main track.
func crowdLines(c *canvas, s Section, x, main int) {
	n, width, deep := s.columns()
	for column := range n {
		lines := s.Lines[column*deep : min(len(s.Lines), (column+1)*deep)]
		left := x + column*width
		c.addf(`<path class="rail" d="M%d %dV%d"/>`, left+fork/2, main, main+crowdTop+(len(lines)-1)*crowdLane-chip/2)
		for i, l := range lines {
			small(c, l, left, width, main+crowdTop+i*crowdLane)
		}
	}
}

// small draws a track that branches off at its left, and its name in the rest of the
// width.
func small(c *canvas, l Line, x, width, y int) {
	first := x + fork
	end := first + len(l.Blocks)*chipRoom
	c.addf(`<path class="rail s-%s" d="M%d %dQ%d %d %d %dH%d"/>`, l.State, x+fork/2, y-chip/2, x+fork/2, y, first, y, end-chipRoom+chipWidth)
	for i, b := range l.Blocks {
		at := first + i*chipRoom
		c.addf(`<a class="block s-%s" href="%s" aria-label="%s"><title>%s</title>`, b.State, esc(b.Href), esc(b.Title), esc(b.Title))
		c.addf(`<rect x="%d" y="%d" width="%d" height="%d" rx="5"/>`, at, y-chip/2, chipWidth, chip)
		c.addf(`<text class="mark" x="%d" y="%d">%s</text></a>`, at+chipWidth/2, y+5, mark(b.State))
	}
	name := plain.Clip(l.Name, (x+width-end)/letter)
	c.addf(`<text class="branch" x="%d" y="%d">%s`, end, y+4, esc(name))
	if name != l.Name {
		c.addf(`<title>%s</title>`, esc(l.Name))
	}
	c.WriteString(`</text>`)
}
