package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// BenchmarkPlan reads a plan of 500 steps, marks one and writes it.
func BenchmarkPlan(b *testing.B) {
	var steps []core.Step
	for i := range 500 {
		steps = append(steps, core.Step{ID: fmt.Sprint(i), Title: fmt.Sprintf("Step %d", i), Role: "backend-developer",
			Text: strings.Repeat("What is to be done: one thing, and then another.\n", 12)})
	}
	text := plan.Render("A goal.", steps)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d, err := plan.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.MarkDone("250"); err != nil || len(d.Bytes()) != len(text) {
			b.Fatal(err)
		}
	}
}
