package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// Columns that an attempt and a tool take at most: some tools have names that
// fill a line.
const (
	attemptColumns = 24
	toolColumns    = 20
)

// Effects are the tool calls of agents, a line each, and a second where a call
// was not carried out. What became of a call stands before its arguments, which
// are cut to the width.
func (v View) Effects(list api.Effects) []string {
	if len(list.Effects) == 0 {
		return v.hang("", nil, noEffects(list))
	}
	attempt, tool, outcome := 7, 4, 2
	for _, e := range list.Effects {
		attempt = min(max(attempt, terminal.Width(terminal.Line(e.Attempt))), attemptColumns)
		tool = min(max(tool, terminal.Width(terminal.Line(e.Tool))), toolColumns)
		outcome = max(outcome, terminal.Width(e.Outcome))
	}
	var lines []string
	if list.LeftOut > 0 {
		lines = append(lines, v.Style.Faint(fmt.Sprintf("(%s left out)", count(list.LeftOut, "older record"))))
	}
	for _, e := range list.Effects {
		cell := func(text string, columns int) string {
			return pad(v.Style.Fit(terminal.Line(text), columns), columns)
		}
		head := strings.Join([]string{
			v.Style.Faint(v.clock(e.At)), cell(e.Attempt, attempt), cell(e.Tool, tool), v.effectTone(e.Outcome)(pad(e.Outcome, outcome)),
		}, "  ")
		lines = append(lines, strings.TrimRight(v.fit(head+"  "+terminal.Line(arguments(e.Input))), " "))
		if e.Reason != "" {
			lines = append(lines, v.hang("          ", v.Style.Faint, e.Reason)...)
		}
	}
	return lines
}

// noEffects says why there is nothing to show.
func noEffects(list api.Effects) string {
	if list.Total == 0 {
		return "No agent of this run has called a tool so far."
	}
	return fmt.Sprintf("Nothing fits: the run has %s.", count(list.Total, "other record"))
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

// telling are the arguments that say by themselves what a call is about.
func telling() []string {
	return []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "text", "message", "title", "prompt", "description"}
}

// arguments are those of a call in a line: the one that tells, or all.
func arguments(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) == nil {
		for _, name := range telling() {
			var text string
			if json.Unmarshal(fields[name], &text) == nil && text != "" {
				return text
			}
		}
	}
	var text string
	if json.Unmarshal(input, &text) == nil {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, input) != nil || compact.String() == "{}" {
		return ""
	}
	return compact.String()
}
