// Package yamlfile reads YAML that a person wrote: playbooks, settings, the front matter of roles. It finds everything
// that is wrong with a file in one go, each problem with file, line and column, and it is stricter than YAML: one
// document, no repeated or unknown keys, no merge keys, no tags, bounded size, depth and alias expansion. It knows
// nothing of what a file means and must not guess: a value of the wrong type is a problem, never converted.
//
// Fields describe an object once: which keys it has, in which form, and where each value is kept. Reading it, writing it
// and its JSON Schema come from that description.
package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Problem is one thing wrong with a file, at a place in it.
type Problem struct {
	File    string
	Line    int // counted from 1; 0 if the person does not have the file
	Column  int // counted from 1
	Path    string
	Message string
	Hint    string // what the person can do, may be empty
}

// String renders the problem as "file:12:5: phases[2].role: message; hint".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Warning is about a file that is valid nevertheless.
type Warning Problem

func (w Warning) String() string { return Problem(w).String() }

// Problems is the error of a file: everything wrong with it, in the order of the file. It has the code
// [core.CodeInvalid].
type Problems []Problem

// Error lists the problems, one per line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the problems their code.
func (p Problems) Unwrap() error {
	return &core.Error{Code: core.CodeInvalid, Message: "the file is not valid"}
}

// Report collects the problems and warnings of one file.
type Report struct {
	file     string
	problems Problems
	warnings []Warning
}

// NewReport starts an empty report for a file that is not YAML itself, such as a list of phases to import.
func NewReport(file string) *Report { return &Report{file: file} }

// Add adds a problem at a place; it fills in the file's name.
func (r *Report) Add(p Problem) {
	p.File = r.file
	r.problems = append(r.problems, p)
}

// Warn adds a warning at a place; it fills in the file's name.
func (r *Report) Warn(w Warning) {
	w.File = r.file
	r.warnings = append(r.warnings, w)
}

// Err is nil, or the Problems of the file in the order of their places.
func (r *Report) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	sorted := slices.Clone(r.problems)
	slices.SortStableFunc(sorted, comparePlaces)
	return slices.Compact(sorted)
}

// Warnings are the warnings in the order of their places.
func (r *Report) Warnings() []Warning {
	sorted := slices.Clone(r.warnings)
	slices.SortStableFunc(sorted, func(a, b Warning) int { return comparePlaces(Problem(a), Problem(b)) })
	return slices.Compact(sorted)
}

func comparePlaces(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
