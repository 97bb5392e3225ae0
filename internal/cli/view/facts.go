package view

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Facts is what a run holds to be true, each with its confidence, origin and
// sources. One that no longer holds says what replaced it.
func (v View) Facts(facts []core.Fact) []string {
	var lines []string
	width := 2
	for _, f := range facts {
		width = max(width, terminal.Width(terminal.Line(f.ID)))
	}
	for _, f := range facts {
		head := fmt.Sprintf("%s %s  %s  ", v.factSignal(f), terminal.Pad(terminal.Line(f.ID), width), terminal.Pad(fmt.Sprintf("%.0f%%", math.Round(f.Confidence*100)), 4))
		text := f.Content
		if f.Key != "" {
			text = f.Key + ": " + text
		}
		lines = append(lines, v.hang(head, nil, text)...)
		indent := strings.Repeat(" ", terminal.Width(head))
		for _, why := range believed(f) {
			lines = append(lines, v.hang(indent, v.Style.Faint, why)...)
		}
	}
	return lines
}

func (v View) factSignal(f core.Fact) string {
	g := v.Style.Glyph
	switch {
	case f.SupersededBy != nil:
		return v.Style.Faint(g("⊘", "[-]"))
	case f.Stale != "":
		return v.Style.Asking(g("↺", "[~]"))
	case f.Assumption:
		return v.Style.Asking(g("○", "[?]"))
	}
	return v.Style.Good(g("●", "[x]"))
}

// believed says why a fact holds, or no longer does.
func believed(f core.Fact) []string {
	from := origin(f)
	if f.Wave > 0 {
		from += fmt.Sprintf(", wave %d", f.Wave)
	}
	if f.Assumption {
		from = "assumed; " + from
	}
	if len(f.Sources) > 0 {
		from += "; because of " + strings.Join(f.Sources, ", ")
	}
	list := []string{from}
	if f.Stale != "" {
		list = append(list, "was built on "+f.Stale+", which no longer holds")
	}
	if f.SupersededBy != nil {
		list = append(list, *f.SupersededBy+" took its place")
	}
	return list
}

func origin(f core.Fact) string {
	switch f.Origin {
	case core.OriginDelegation:
		return "found by " + cmp.Or(f.Source, "a delegation")
	case core.OriginPlanner:
		return "said by the planner"
	case core.OriginPerson:
		return "answered by a person" + inBrackets(f.Source)
	case core.OriginDefault:
		return "nobody answered in time" + inBrackets(f.Source)
	}
	return string(f.Origin)
}

func inBrackets(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}
