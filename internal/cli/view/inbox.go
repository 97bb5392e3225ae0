package view

import (
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Inbox is what waits for a person, each with since when, why and what to type.
func (v View) Inbox(list []api.Waiting) []string {
	alias, project := 8, 0
	for _, w := range list {
		alias = max(alias, terminal.Width(terminal.Line(waiter(w))))
		project = max(project, terminal.Width(terminal.Line(w.Project)))
	}
	var lines []string
	for _, w := range list {
		s := v.runSignal(w.Run)
		lines = append(lines, v.fit(strings.Join([]string{
			s.String(), v.Style.Strong(terminal.Pad(terminal.Line(waiter(w)), alias)), s.paint(terminal.Pad(s.words, 15)),
			terminal.Pad("for "+wording.Duration(v.Now.Sub(w.Since).Truncate(time.Second)), 10), terminal.Pad(terminal.Line(w.Project), project), terminal.Line(w.Run.Title),
		}, "  ")))
		indent := strings.Repeat(" ", terminal.Width(s.symbol)+2)
		lines = append(lines, v.reasons(indent, nil, w.Reason)...)
		lines = append(lines, v.gateBelow(w.Gate, terminal.Width(s.symbol))...)
		lines = append(lines, v.hang(indent, v.Style.Faint, v.typed(w.Next))...)
	}
	return lines
}

// waiter is what a person names to answer: an epic that could not start has no run
// yet.
func waiter(w api.Waiting) string {
	if w.Epic != nil {
		return w.Epic.ID
	}
	return w.Run.Alias
}

// gateBelow is a gate indented by further columns, if there is one.
func (v View) gateBelow(g *core.Gate, columns int) []string {
	if g == nil {
		return nil
	}
	if v.Width > 0 {
		v.Width = max(v.Width-columns, 1)
	}
	lines := v.Gate(g)[1:]
	for i := range lines {
		lines[i] = strings.Repeat(" ", columns) + lines[i]
	}
	return lines
}
