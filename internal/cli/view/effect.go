package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Columns that an attempt and a tool take at most: some names would fill a
// line.
const (
	attemptColumns = 20
	toolColumns    = 16
)

// Effects is a line for each tool call, and a second with the reason if it was not
// carried out. The outcome comes before the arguments, which are cut to the width.
// A day other than today has a line of its own.
func (v View) Effects(list api.Effects) []string {
	if len(list.Effects) == 0 {
		return v.hang("", nil, noEffects(list))
	}
	var lines []string
	if list.LeftOut > 0 {
		lines = append(lines, v.Style.Faint(fmt.Sprintf("(%s left out)", wording.Count(list.LeftOut, "older record"))))
	}
	columns, day := v.effectColumns(list.Effects), v.day(v.Now)
	for _, e := range list.Effects {
		if d := v.day(e.At); d != day {
			lines, day = append(lines, v.Style.Faint(d)), d
		}
		lines = append(lines, v.effect(e, columns)...)
	}
	return lines
}

func (v View) day(t time.Time) string { return t.In(v.Zone).Format("2006-01-02") }

// effectColumns are the widths of an attempt, a tool and an outcome.
func (v View) effectColumns(list []api.Effect) (columns [3]int) {
	for _, e := range list {
		columns[0] = min(max(columns[0], terminal.Width(terminal.Line(e.Attempt))), attemptColumns)
		if e.Tool != "" {
			columns[1] = min(max(columns[1], terminal.Width(terminal.Line(e.Tool))), toolColumns)
			columns[2] = max(columns[2], terminal.Width(e.Outcome))
		}
	}
	return columns
}

func (v View) effect(e api.Effect, columns [3]int) []string {
	cells := []string{v.Style.Faint(e.At.In(v.Zone).Format("15:04:05")), v.ending(e.Attempt, columns[0])}
	if e.Tool != "" {
		cells = append(cells, v.ending(e.Tool, columns[1]))
	}
	cells = append(cells, v.effectTone(e.Outcome)(terminal.Pad(e.Outcome, columns[2])), terminal.Line(wording.Arguments(e.Input)))
	lines := []string{strings.TrimRight(v.fit(strings.Join(cells, "  ")), " ")}
	if e.Reason != "" {
		lines = append(lines, v.hang("          ", v.Style.Faint, e.Reason)...)
	}
	return lines
}

// ending is a name in a column; of one that is too long, the end, which tells it
// from others.
func (v View) ending(name string, columns int) string {
	name = terminal.Line(name)
	if terminal.Width(name) <= columns {
		return terminal.Pad(name, columns)
	}
	runes := []rune(name)
	for len(runes) > 0 && terminal.Width(string(runes)) >= columns {
		runes = runes[1:]
	}
	return terminal.Pad(v.Style.Glyph("…", "~")+string(runes), columns)
}

// noEffects says why the list is empty.
func noEffects(list api.Effects) string {
	if list.Total == 0 {
		return "No agent of this run has called a tool so far."
	}
	return fmt.Sprintf("No record matches; the run has %s.", wording.Count(list.Total, "other record"))
}

func (v View) effectTone(outcome string) func(string) string {
	switch outcome {
	case api.EffectOK:
		return v.Style.Good
	case api.EffectError:
		return v.Style.Bad
	case api.EffectDenied, api.EffectRefused, api.EffectUnobserved, api.EffectUnknown:
		return v.Style.Asking
	}
	return v.Style.Busy
}
