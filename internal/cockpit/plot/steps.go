package plot

import (
	"html/template"
	"time"
)

// Point is a value that holds from a moment on.
type Point struct {
	At    time.Time
	Value float64
}

// Line is a value over time.
type Line struct {
	Title    string // what is shown, for people who cannot see it
	Label    func(float64) string
	From, To time.Time
	Points   []Point // in order
	Limit    float64 // drawn unless it is far above the points; 0 for none
	LimitAs  string  // what it is called
	Note     string  // what the line does not show
}

// maxPoints is how many places a line changes at; between them it is as it was last.
const maxPoints = 360

// Steps draws a line that changes in steps.
func Steps(l Line) template.HTML {
	c := begin(l.Title)
	highest := 0.0
	for _, p := range l.Points {
		highest = max(highest, p.Value)
	}
	limit := l.Limit > 0 && l.Limit <= 4*highest
	if limit {
		highest = max(highest, l.Limit)
	}
	s := upTo(highest)
	c.axis(s, l.Label)
	x := between(l.From, l.To)
	c.times(l.From, l.To)
	if len(l.Points) > 0 {
		c.steps(l, s, x)
	}
	if l.Note != "" {
		c.addf(`<text class="when start" x="%d" y="14">%s</text>`, left+4, esc(l.Note))
	}
	if limit {
		c.addf(`<path class="limit" d="M%d %.1fH%d"/><text class="limit-name" x="%d" y="%.1f">%s</text>`, left, s.y(l.Limit), right, right-2, s.y(l.Limit)-4, esc(l.LimitAs))
	}
	return c.end()
}

// steps draws the line, and what lies below it. Of what falls onto one place the
// last holds.
func (c *canvas) steps(l Line, s scale, x func(time.Time) float64) {
	path := &canvas{}
	path.addf("M%d %d", left, bottom)
	place := -1
	for i, p := range l.Points {
		at := int(maxPoints * (x(p.At) - left) / (right - left))
		if i+1 < len(l.Points) && int(maxPoints*(x(l.Points[i+1].At)-left)/(right-left)) == at && at == place {
			continue
		}
		place = at
		path.addf("H%.1fV%.1f", x(p.At), s.y(p.Value))
	}
	path.addf("H%d", right)
	c.addf(`<path class="area" d="%sV%dz"/><path class="value-line" d="%s"/>`, path.String(), bottom, path.String())
}

func between(from, to time.Time) func(time.Time) float64 {
	span := to.Sub(from).Seconds()
	return func(t time.Time) float64 {
		if span <= 0 {
			return left
		}
		return left + (right-left)*min(max(t.Sub(from).Seconds()/span, 0), 1)
	}
}

// times says when, at the ends and in the middle.
func (c *canvas) times(from, to time.Time) {
	form := "15:04:05"
	switch span := to.Sub(from); {
	case span > 48*time.Hour:
		form = "2 Jan"
	case span > 10*time.Minute:
		form = "15:04"
	}
	for i, anchor := range []string{"start", "middle", "end"} {
		at := from.Add(to.Sub(from) * time.Duration(i) / 2)
		c.addf(`<text class="when %s" x="%d" y="%d">%s</text>`, anchor, left+(right-left)*i/2, height-10, at.UTC().Format(form))
	}
}
