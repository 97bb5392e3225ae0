package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Reasons for refusing a plan. Every [Problem] has one of them, and an [Error] matches those of its problems with
// [errors.Is].
var (
	ErrTooLarge  = errors.New("the plan is too large")
	ErrNotText   = errors.New("the plan is not plain text")
	ErrConflict  = errors.New("the plan has conflict markers of a merge")
	ErrNoSection = errors.New("the plan has no section for its steps")
	ErrNoSteps   = errors.New("the plan has no steps")
	ErrInvalid   = errors.New("the plan cannot be followed as it is written")
)

// ErrUnknownStep is the error of [Document.MarkDone] for a step that the plan does not have.
var ErrUnknownStep = errors.New("the plan has no such step")

// Problem is one thing that is wrong with a plan.
type Problem struct {
	Line int    // counted from 1; 0 for the whole file
	What string // what is wrong, with bounded excerpts
	Fix  string // what to do about it
	Kind error  // one of the reasons above
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.What + "; " + p.Fix
	}
	return fmt.Sprintf("line %d: %s; %s", p.Line, p.What, p.Fix)
}

// Error is why a plan was refused.
type Error struct {
	Problems []Problem // in the order of their lines
	More     int       // how many further problems are not listed
}

func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\nand %d more", e.More)
	}
	return b.String()
}

// Unwrap yields the reasons, each once.
func (e *Error) Unwrap() []error {
	var kinds []error
	for _, p := range e.Problems {
		if !slices.Contains(kinds, p.Kind) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

// mostProblems bounds an [Error], which is stored and shown to agents.
const mostProblems = 12

// report collects problems. Beyond the bound it only counts them.
type report struct {
	problems []Problem
	more     int
}

func (r *report) add(kind error, line int, what, fix string) {
	if len(r.problems) == mostProblems {
		r.more++
		return
	}
	r.problems = append(r.problems, Problem{Line: line, What: what, Fix: fix, Kind: kind})
}

func (r *report) invalid(line int, what, fix string) { r.add(ErrInvalid, line, what, fix) }

func (r *report) found() bool { return len(r.problems) > 0 }

func (r *report) err() error {
	if !r.found() {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Line - b.Line })
	return &Error{Problems: r.problems, More: r.more}
}

// clip bounds what a message repeats of the plan.
func clip(s string) string { return plain.ClipBytes(s, 60) }

func quote(s string) string { return strconv.Quote(clip(s)) }

// code shows a line as it is to be written.
func code(s string) string { return "`" + s + "`" }
