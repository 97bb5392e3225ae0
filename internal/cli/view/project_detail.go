package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Project is a project in detail: its state, runs, cost and queue.
func (v View) Project(d api.ProjectDetail) []string {
	s := v.projectSignal(d.Project)
	lines := []string{v.fit(strings.TrimRight(fmt.Sprintf("%s %s  %s  %s", s, v.Style.Strong(terminal.Line(d.Name)), s.paint(s.words), terminal.Line(d.Epic)), " "))}
	fact := func(name, text string) {
		if text != "" {
			lines = append(lines, v.hang("  "+terminal.Pad(name, 14), nil, text)...)
		}
	}
	if d.Status == "paused" || d.State == api.ProjectUnreadable || d.State == api.ProjectStranded {
		fact("why", d.Reason)
	}
	fact("repository", d.Repository)
	fact("base", d.Base)
	if d.Owner != nil {
		fact("engine", v.dots(owner(d.Owner)...))
	}
	fact("playbook", d.Playbook)
	fact("pull request", d.URL)
	fact("tasks", tasksBy(d.ByStatus))
	fact("runs", spent(d))
	if d.Limits != nil {
		fact("limits", Limits(*d.Limits))
	}
	if !d.LastActivity.IsZero() {
		fact("last activity", wording.Duration(max(v.Now.Sub(d.LastActivity), time.Second))+" ago")
	}
	runs := d.Open
	if d.Run != nil {
		runs = append([]api.Run{*d.Run}, d.Open...)
	}
	if len(runs) > 0 {
		lines = append(append(lines, ""), v.Runs(runs)...)
	}
	if len(d.Queue) > 0 {
		lines = append(append(lines, "", "  queue"), v.Queue(d.Queue)...)
	}
	return lines
}

// Queue is the epics of a queue, with the reason if one could not start.
func (v View) Queue(queue []api.Epic) []string {
	var lines []string
	for _, e := range queue {
		place := terminal.Pad(fmt.Sprintf("%d.", e.Place), 3)
		if e.Refused != nil {
			place = terminal.Pad(v.Style.Bad(v.Style.Glyph("✗", "[!]")), 3)
		}
		lines = append(lines, v.fit(fmt.Sprintf("  %s %s  %s", place, v.Style.Strong(terminal.Line(e.ID)), terminal.Line(e.Title))))
		from := fmt.Sprintf("by %s, %s ago, with %s on %s", e.By, wording.Duration(max(v.Now.Sub(e.At), time.Second)), e.Playbook, e.Base)
		lines = append(lines, v.hang("      ", v.Style.Faint, from)...)
		if e.Refused != nil {
			lines = append(lines, v.hang("      ", v.Style.Bad, "could not be started: "+e.Refused.Reason)...)
		}
	}
	return lines
}

func tasksBy(counts map[string]int) string {
	var parts []string
	for _, status := range []string{"completed", "running", "pending", "failed"} {
		if n := counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

func spent(d api.ProjectDetail) string {
	if d.Runs == 0 {
		return ""
	}
	parts := []string{fmt.Sprint(d.Runs)}
	if cost := spoken(d.Cost); cost != "" {
		parts = append(parts, cost)
	}
	if d.Tokens > 0 {
		parts = append(parts, wording.Tokens(d.Tokens))
	}
	return strings.Join(parts, ", ")
}

// Limits is the limits of a run in words.
func Limits(l core.Limits) string {
	parts := []string{fmt.Sprintf("%d attempts a round", l.Attempts), fmt.Sprintf("%d at once", l.Parallel)}
	if l.WallTime > 0 {
		parts = append(parts, "wall time "+wording.Duration(l.WallTime))
	}
	if l.CostUSD > 0 {
		parts = append(parts, wording.Money(l.CostUSD))
	} else {
		parts = append(parts, "no cost limit")
	}
	if l.Tokens > 0 {
		parts = append(parts, wording.Tokens(l.Tokens))
	}
	if of := wording.AttemptLimits(l.Attempt); of != "" {
		parts = append(parts, of)
	}
	return strings.Join(parts, ", ")
}
