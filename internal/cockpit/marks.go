package cockpit

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
)

// landmark is an event that stands out in a history.
type landmark struct {
	at   int64
	kind string // "asked", "failed" or "answered"
}

// markCache remembers the landmarks of some runs: what has happened stays.
type markCache struct {
	mu     sync.Mutex
	runs   map[string]landmarks
	recent []string // of which runs, the one looked at last at the end
}

type landmarks struct {
	upto int64
	list []landmark
}

// maxMarkedRuns bounds what is remembered; forgetting costs only time.
const maxMarkedRuns = 16

// marksOf are the landmarks of a run.
func (c *cockpit) marksOf(ctx context.Context, run string) ([]landmark, error) {
	known := c.marks.get(run)
	for e, err := range c.history(ctx, run, known.upto) {
		if err != nil {
			return nil, err
		}
		if kind := landmarkOf(e); kind != "" {
			known.list = append(known.list, landmark{e.Seq, kind})
		}
		known.upto = e.Seq
	}
	c.marks.put(run, known)
	return known.list, nil
}

// get is what is known of a run, for the caller to add to.
func (m *markCache) get(run string) landmarks {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.runs[run]
	known.list = slices.Clone(known.list)
	return known
}

// put remembers a run, and forgets the least recently viewed of too many.
func (m *markCache) put(run string, known landmarks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runs == nil {
		m.runs = map[string]landmarks{}
	}
	m.runs[run] = known
	m.recent = append(slices.DeleteFunc(m.recent, func(other string) bool { return other == run }), run)
	if len(m.recent) > maxMarkedRuns {
		delete(m.runs, m.recent[0])
		m.recent = m.recent[1:]
	}
}

// The measures of the marks under a slider.
const (
	marksWidth = 1000
	marksRow   = 6
)

// drawMarks draws landmarks in three rows: what was asked, what failed, what was
// answered. Those that would lie on one another are drawn once.
func drawMarks(marks []landmark, last int64) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="marks" aria-hidden="true" viewBox="0 0 %d %d" preserveAspectRatio="none" xmlns="http://www.w3.org/2000/svg">`, marksWidth, 3*marksRow)
	drawn := map[string]bool{}
	for _, m := range marks {
		x := int64(0)
		if last > 1 {
			x = (m.at - 1) * (marksWidth - 8) / (last - 1)
		}
		row := slices.Index([]string{"asked", "failed", "answered"}, m.kind)
		mark := fmt.Sprintf(`<rect class="%s" x="%d" y="%d" width="8" height="%d"/>`, m.kind, x/2*2, row*marksRow, marksRow-1)
		if !drawn[mark] {
			drawn[mark] = true
			b.WriteString(mark)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // made of numbers and our own words
}
