package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// waits is what a person must know, and can type.
func (v View) waits(d api.RunDetail) []string {
	var lines []string
	if d.Gate != nil && !d.Gate.Approved {
		lines = append(lines, v.Gate(d.Gate)...)
	}
	if d.Reason != "" && !AsksOnly(d) {
		lines = append(append(lines, ""), v.reasons("  ", v.runSignal(d.Run).paint, d.Reason)...)
	}
	if d.URL != "" {
		lines = append(lines, "", "  pull request: "+terminal.Line(d.URL))
		if d.CI != "" {
			lines = append(lines, "  its checks: "+terminal.Line(d.CI))
		}
		if d.Preview != "" {
			lines = append(lines, "  preview: "+terminal.Line(d.Preview))
		}
	}
	if d.Branch == "" && d.Status == core.StatusCompleted {
		lines = append(lines, v.handedIn(d)...)
	}
	if next := onward(d); next != "" && (d.MergesHere || !d.Status.Terminal()) && !AsksOnly(d) {
		lines = append(append(lines, ""), v.hang("  next: ", nil, v.typed(next))...)
	}
	return lines
}

// onward is what a person can do next, but for looking at the run: they do.
func onward(d api.RunDetail) string {
	looks := func(c core.Choice) bool { return c.Verb == core.VerbStatus }
	if d.Pause == nil || !slices.ContainsFunc(d.Advice.Choices, looks) {
		return d.Next
	}
	advice := d.Advice
	advice.Choices = slices.DeleteFunc(slices.Clone(advice.Choices), looks)
	return wording.Advice(d.Pause.Code, advice)
}

// hang is untrusted text behind a prefix of ours, wrapped to the width.
func (v View) hang(prefix string, paint func(string) string, text string) []string {
	lines := terminal.Hang(prefix, terminal.Line(text), v.Width)
	if paint == nil {
		return lines
	}
	for i, l := range lines {
		trimmed := strings.TrimLeft(l, " ")
		lines[i] = l[:len(l)-len(trimmed)] + paint(trimmed)
	}
	return lines
}

// Gate is what a person is asked to approve. None of it is cut.
func (v View) Gate(g *core.Gate) []string {
	s := g.Subject
	lines := append([]string{""}, v.hang("  ", nil, fmt.Sprintf("stage %s, round %d, delivery %s at commit %s",
		s.Stage, s.Round, wording.Short(s.Delivery), wording.Short(s.Commit)))...)
	if s.Ref != "" {
		lines = append(lines, v.hang("  publishes ", nil, fmt.Sprintf("to %s on %s, into %s", s.Ref, s.Remote, s.Base))...)
	}
	for _, n := range g.Notices {
		lines = append(lines, v.hang(v.Style.Asking("  note: "), nil, n)...)
	}
	for _, l := range g.Leaks {
		lines = append(lines, v.hang(v.Style.Asking("  looks like a secret: "), nil, l.String())...)
	}
	for _, s := range g.Skips {
		lines = append(lines, v.hang(v.Style.Asking("  skips "), nil, wording.Colon(s.Stage, s.Reason))...)
	}
	for _, f := range g.Findings {
		where := f.File
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		lines = append(lines, v.hang("  finding: ", nil, strings.TrimPrefix(wording.Colon(where, f.Issue), ": "))...)
	}
	if g.Suggestion != "" {
		lines = append(lines, "  suggestion: go back to "+terminal.Line(g.Suggestion))
	}
	return lines
}

// reasons hangs each line of a text.
func (v View) reasons(indent string, paint func(string) string, text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, v.hang(indent, paint, strings.TrimSuffix(line, "\n"))...)
	}
	return lines
}
