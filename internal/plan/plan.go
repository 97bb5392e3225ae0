// Package plan reads .ai/plan.md and checks off its steps. In this Markdown file the headings of one section are the
// steps, and everything else belongs to whoever wrote it. The reader is strict, so that no step is lost, reordered or
// misread in silence; a change touches only the bytes of checkboxes. The package must not decide what is done next, and it
// uses neither files nor the clock. docs/plan.md describes the form.
package plan

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What a plan may hold at most.
const (
	MaxBytes = 1 << 20
	MaxSteps = 1000
	MaxText  = 32 << 10 // of one step, in bytes
	MaxTitle = 200      // of one step, in characters
)

// Document is a plan as it was written, and the steps in it.
type Document struct {
	data  []byte
	steps []core.Step
	boxes []int // offset of the mark in each step's checkbox
}

// Parse reads a plan. The error is an *[Error] that names everything that is wrong, up to a bound.
func Parse(text []byte) (*Document, error) {
	r := &report{}
	if legible(text, r); r.found() {
		return nil, r.err()
	}
	s := &scan{report: r, data: text}
	s.run()
	steps := resolve(s.drafts, r)
	if r.found() {
		return nil, r.err()
	}
	d := &Document{data: bytes.Clone(text), steps: steps}
	for _, draft := range s.drafts {
		d.boxes = append(d.boxes, draft.box)
	}
	return d, nil
}

// Steps are the steps in the order they are written. After is filled in: a step without it names the step above. The
// caller may change the result.
func (d *Document) Steps() []core.Step {
	steps := slices.Clone(d.steps)
	for i := range steps {
		steps[i].After = slices.Clone(steps[i].After)
	}
	return steps
}

// MarkDone checks the boxes of these steps. A box that is checked stays as it is. If one of the ids is unknown, nothing
// changes and the error is [ErrUnknownStep].
func (d *Document) MarkDone(ids ...string) error {
	at := make(map[string]int, len(d.steps))
	for i, step := range d.steps {
		at[step.ID] = i
	}
	for _, id := range ids {
		if _, known := at[id]; !known {
			return fmt.Errorf("%w: %s", ErrUnknownStep, quote(id))
		}
	}
	for _, id := range ids {
		if i := at[id]; !d.steps[i].Done {
			d.steps[i].Done, d.data[d.boxes[i]] = true, 'x'
		}
	}
	return nil
}

// Bytes is the plan's text. The caller may change the result.
func (d *Document) Bytes() []byte { return bytes.Clone(d.data) }
