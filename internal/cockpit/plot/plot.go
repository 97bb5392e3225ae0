// Package plot draws figures: steps over time, columns and bars, with their axes. It
// knows numbers and places and nothing of what they are about. Pages show the same
// figures in words beside a plot.
package plot

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// The measures of a plot, in its own units: it is stretched to the room there is.
const (
	width  = 420
	height = 220
	left   = 56 // of the axis
	right  = width - 12
	top    = 14
	bottom = height - 28
)

type canvas struct{ strings.Builder }

func (c *canvas) addf(format string, args ...any) { fmt.Fprintf(c, format, args...) }

func esc(s string) string { return template.HTMLEscapeString(s) }

func begin(title string) *canvas {
	c := &canvas{}
	c.addf(`<svg class="plot" role="img" aria-label="%s" viewBox="0 0 %d %d" xmlns="http://www.w3.org/2000/svg">`, esc(title), width, height)
	return c
}

func (c *canvas) end() template.HTML {
	c.WriteString(`</svg>`)
	return template.HTML(c.String()) //nolint:gosec // everything that is not ours was escaped
}

// scale is the axis of values, from 0 to a round number.
type scale struct {
	step float64
	most float64
}

// upTo is a scale with a few round steps that holds a value.
func upTo(value float64) scale {
	if value <= 0 || math.IsInf(value, 0) || math.IsNaN(value) {
		return scale{step: 1, most: 1}
	}
	const steps = 4
	unit := math.Pow(10, math.Floor(math.Log10(value/steps)))
	step := 10 * unit
	for _, n := range []float64{1, 2, 2.5, 5} {
		if n*unit*steps >= value {
			step = n * unit
			break
		}
	}
	return scale{step: step, most: step * math.Ceil(value/step)}
}

// y is where a value lies.
func (s scale) y(value float64) float64 {
	return bottom - (bottom-top)*min(max(value, 0), s.most)/s.most
}

// axis draws the lines of the round values, and what they are.
func (c *canvas) axis(s scale, label func(float64) string) {
	for n := 0.0; n*s.step <= s.most*1.0001; n++ {
		value := n * s.step
		c.addf(`<path class="grid" d="M%d %.1fH%d"/><text class="value" x="%d" y="%.1f">%s</text>`, left, s.y(value), right, left-6, s.y(value)+4, esc(label(value)))
	}
}

// Bar draws how much a part is of a whole, as wide as there is room. The class
// gives it its colour.
func Bar(part, whole float64, class string) template.HTML {
	share := 0.0
	if whole > 0 && part > 0 {
		share = min(100, 100*part/whole)
	}
	c := &canvas{}
	c.addf(`<svg class="amount %s" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="room" width="100" height="8"/><rect class="part" width="%.1f" height="8"/>`, esc(class), share)
	return c.end()
}
