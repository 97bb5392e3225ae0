package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// planSteps is how many steps the plan has.
const planSteps = 500

// writePlan writes steps as a plan.
func writePlan(steps []core.Step) []byte {
	var b strings.Builder
	b.WriteString("# Plan\n\nAll of it.\n\n" + plan.Section + "\n")
	for _, s := range steps {
		after := "nothing"
		if len(s.After) > 0 {
			after = strings.Join(s.After, ", ")
		}
		fmt.Fprintf(&b, "\n### [ ] %s. %s\nAfter: %s\n", s.ID, s.Title, after)
		if s.Role != "" {
			b.WriteString("Role: " + s.Role + "\n")
		}
		b.WriteString("\n" + s.Text + "\n")
	}
	return []byte(b.String())
}

// planFile reads a plan whose steps have a page of text each and depend on one another, checks a box, and writes it. The
// median counts; the limit is absolute.
func planFile(ctx context.Context, shop *workshop) (o outcome, err error) {
	var steps []core.Step
	for i := range planSteps {
		s := core.Step{ID: fmt.Sprintf("part-%d", i), Title: fmt.Sprintf("Part %d of the work", i), Role: "backend-developer",
			Text: strings.Repeat("What is to be done: one thing, and then another.\n", 30) + "\n```\n### [ ] 1. An example\n```\n"}
		for before := max(0, i-3); before < i; before++ {
			s.After = append(s.After, steps[before].ID)
		}
		steps = append(steps, s)
	}
	text := writePlan(steps)
	var took []time.Duration
	for i := range shop.times(400) {
		id := steps[i%planSteps].ID
		written := 0
		t, err := timed(func() error {
			d, err := plan.Parse(text)
			if err != nil {
				return err
			}
			if err := d.MarkDone(id); err != nil {
				return err
			}
			written = len(d.Bytes())
			return nil
		})
		if err != nil {
			return o, err
		}
		if written != len(text) {
			return o, fmt.Errorf("%d bytes were read and %d written", len(text), written)
		}
		took = append(took, t)
	}
	m := median(took)
	return outcome{ratio: float64(m) / float64(20*time.Millisecond), measured: fmt.Sprintf("%s for %d kB", short(m), len(text)/1000)}, ctx.Err()
}
