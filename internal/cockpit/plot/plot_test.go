package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/plot"
)

const evil = `"><script>alert(1)</script>&`

func dollars(v float64) string { return fmt.Sprintf("$%g", v) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	if strings.Contains(svg, "<script") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("it holds what it must not: %s", svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("it is not well-formed: %v", err)
		}
	}
}

func TestWellFormed(t *testing.T) {
	label := func(float64) string { return evil }
	wellFormed(t, string(plot.Steps(plot.Line{Title: evil, Label: label, LimitAs: evil, Limit: 2, From: noon, To: noon.Add(time.Hour), Points: []plot.Point{{noon, 1}}})))
	wellFormed(t, string(plot.Columns(plot.Stack{Title: evil, Label: label, Columns: []plot.Column{{Name: evil, Title: evil, Parts: []float64{1, 0, 2}}}})))
	wellFormed(t, string(plot.Bar(1, 3, evil)))
}

// TestNothingToShow draws axes all the same.
func TestNothingToShow(t *testing.T) {
	wellFormed(t, string(plot.Steps(plot.Line{Label: dollars})))
	wellFormed(t, string(plot.Steps(plot.Line{Label: dollars, From: noon, To: noon, Points: []plot.Point{{noon, 0}, {noon, math.Inf(1)}}})))
	wellFormed(t, string(plot.Columns(plot.Stack{Label: dollars})))
	wellFormed(t, string(plot.Columns(plot.Stack{Label: dollars, Columns: []plot.Column{{Parts: []float64{0}}, {}}})))
	wellFormed(t, string(plot.Bar(1, 0, "")))
	wellFormed(t, string(plot.Bar(5, 2, "")))
}

func TestRoundValuesOnTheAxis(t *testing.T) {
	svg := string(plot.Steps(plot.Line{Label: dollars, From: noon, To: noon.Add(time.Hour), Points: []plot.Point{{noon, 0.5}, {noon.Add(time.Minute), 7.3}}}))
	for _, want := range []string{">$0<", ">$2<", ">$8<", ">12:00<", ">12:30<", ">13:00<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(svg, "$10") {
		t.Error("the axis goes on above what there is")
	}
}

func TestLimitIsDrawnWhereItMatters(t *testing.T) {
	line := plot.Line{Label: dollars, LimitAs: "limit", From: noon, To: noon.Add(time.Hour), Points: []plot.Point{{noon, 5}}}
	for limit, drawn := range map[float64]bool{0: false, 8: true, 4: true, 500: false} {
		line.Limit = limit
		if got := strings.Contains(string(plot.Steps(line)), `class="limit"`); got != drawn {
			t.Errorf("a limit of %g: drawn %v", limit, got)
		}
	}
}

// What is not known is marked, where otherwise nothing or too little would be seen.
func TestWhatIsNotKnownIsMarked(t *testing.T) {
	columns := func(more bool, part float64) string {
		return string(plot.Columns(plot.Stack{Label: dollars, Columns: []plot.Column{{Title: "3 Mar: unknown", Parts: []float64{part}, More: more}}}))
	}
	for _, part := range []float64{0, 2} {
		if got := columns(true, part); !strings.Contains(got, ">?</text>") || !strings.Contains(got, "<title>3 Mar: unknown</title>") {
			t.Errorf("a day of %g and more shows nothing of that: %s", part, got)
		}
		if got := columns(false, part); strings.Contains(got, ">?</text>") {
			t.Errorf("a day of %g is marked: %s", part, got)
		}
	}
	line := plot.Line{Label: dollars, From: noon, To: noon.Add(time.Hour), Points: []plot.Point{{noon, 5}}, Note: "without <2>"}
	if got := string(plot.Steps(line)); !strings.Contains(got, ">without &lt;2&gt;</text>") {
		t.Error(got)
	}
}

// TestManyPoints stay of a size, and the last of them holds.
func TestManyPoints(t *testing.T) {
	line := plot.Line{Label: dollars, From: noon, To: noon.Add(10_000 * time.Second)}
	for i := range 10_000 {
		line.Points = append(line.Points, plot.Point{At: noon.Add(time.Duration(i) * time.Second), Value: float64(i + 1)})
	}
	svg := string(plot.Steps(line))
	if len(svg) > 40_000 {
		t.Errorf("%d bytes", len(svg))
	}
	if !strings.Contains(svg, "V14.0H408") {
		t.Error("the last value is not the one at the end")
	}
}

func TestYearOfColumns(t *testing.T) {
	stack := plot.Stack{Label: dollars}
	for i := range 366 {
		stack.Columns = append(stack.Columns, plot.Column{Name: "1 Jan", Title: "x", Parts: []float64{1, 2, 3, 4, 5, float64(i)}})
	}
	svg := string(plot.Columns(stack))
	wellFormed(t, svg)
	if n := strings.Count(svg, "1 Jan"); n < 3 || n > 6 {
		t.Errorf("%d days are named", n)
	}
	if len(svg) > 250_000 {
		t.Errorf("%d bytes", len(svg))
	}
}
