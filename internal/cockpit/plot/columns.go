package plot

import "html/template"

// Column is the figures of one day.
type Column struct {
	Name  string // on the axis
	Title string
	Parts []float64 // from below, each of the series of that place
	More  bool      // there is more, of unknown size
}

// Stack is columns beside one another.
type Stack struct {
	Title   string // what is shown, for people who cannot see it
	Label   func(float64) string
	Columns []Column
}

// Series is how many kinds of parts can be told apart.
const Series = 6

// Columns draws columns, each of parts on top of one another.
func Columns(s Stack) template.HTML {
	c := begin(s.Title)
	highest := 0.0
	for _, col := range s.Columns {
		highest = max(highest, total(col.Parts))
	}
	axis := upTo(highest)
	c.axis(axis, s.Label)
	n := len(s.Columns)
	if n == 0 {
		return c.end()
	}
	step := float64(right-left) / float64(n)
	wide := max(step*0.8, 0.8)
	for i, col := range s.Columns {
		x, sum := left+step*float64(i)+(step-wide)/2, 0.0
		if total(col.Parts) > 0 || col.More {
			c.addf(`<g><title>%s</title>`, esc(col.Title))
			for k, part := range col.Parts {
				if part > 0 {
					c.addf(`<rect class="p%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, k%Series, x, axis.y(sum+part), wide, max(axis.y(sum)-axis.y(sum+part)-0.6, 0.6))
				}
				sum += part
			}
			if col.More {
				c.addf(`<text class="when middle" x="%.1f" y="%.1f">?</text>`, x+wide/2, axis.y(sum)-3)
			}
			c.WriteString(`</g>`)
		}
		c.named(i, n, x+wide/2, col.Name)
	}
	return c.end()
}

// named writes the names of as many columns as there is room for.
func (c *canvas) named(i, n int, x float64, name string) {
	every := max(1, (n+4)/5)
	if (n-1-i)%every == 0 && (i == n-1 || x > left+14) {
		anchor := "middle"
		if i == n-1 && n > 5 {
			anchor, x = "end", right
		}
		c.addf(`<text class="when %s" x="%.1f" y="%d">%s</text>`, anchor, x, height-10, esc(name))
	}
}

func total(parts []float64) float64 {
	sum := 0.0
	for _, p := range parts {
		sum += max(p, 0)
	}
	return sum
}
