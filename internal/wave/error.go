package wave

import (
	"fmt"
	"strings"
)

// Finding is a remark about a place of a document.
type Finding struct {
	Path string // JSON Pointer, such as /coverage/criteria_met/2; empty for the document as a whole
	Text string // in plain words, on one line
}

func (f Finding) String() string {
	if f.Path == "" {
		return f.Text
	}
	return f.Path + ": " + f.Text
}

// Error holds everything that is wrong with a document.
type Error struct {
	Name     string    // of the artifact
	Problems []Finding // at least one
	More     int       // number of further problems
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s cannot be used:", e.Name)
	for _, line := range e.Lines() {
		b.WriteString("\n- " + line)
	}
	return b.String()
}

// Lines are the problems, one a line.
func (e *Error) Lines() []string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", e.More))
	}
	return lines
}
