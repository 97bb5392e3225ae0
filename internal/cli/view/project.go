package view

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Projects is a list of projects, two lines each: state and goal, then figures.
func (v View) Projects(list []api.Project) []string {
	name := 8
	for _, p := range list {
		name = max(name, terminal.Width(terminal.Line(p.Name)))
	}
	var lines []string
	for _, p := range list {
		s := v.projectSignal(p)
		tasks := ""
		if p.Tasks > 0 {
			tasks = fmt.Sprintf("%d of %s done", p.CompletedTasks, wording.Count(p.Tasks, "task"))
		}
		if p.FailedTasks > 0 {
			tasks += fmt.Sprintf(", %d failed", p.FailedTasks)
		}
		queue := ""
		if p.Queued > 0 {
			queue = fmt.Sprintf("%d queued", p.Queued)
		}
		if p.Refused > 0 {
			queue = strings.TrimPrefix(fmt.Sprintf("%s, %d refused", queue, p.Refused), ", ")
		}
		lines = append(lines, v.fit(strings.TrimRight(strings.Join([]string{
			s.String(), v.Style.Strong(terminal.Pad(terminal.Line(p.Name), name)), s.paint(terminal.Pad(s.words, 15)), terminal.Line(p.Epic),
		}, "  "), " ")))
		indent := strings.Repeat(" ", terminal.Width(s.symbol)+2)
		if p.State == api.ProjectUnreadable || p.State == api.ProjectStranded {
			lines = append(lines, v.hang(indent, v.Style.Asking, terminal.Line(p.Reason))...)
		}
		lines = append(lines, v.hang(indent, v.Style.Faint, v.dots(terminal.Line(p.Repository), tasks, spoken(p.Cost), queue, terminal.Line(p.URL)))...)
	}
	return lines
}

func (v View) projectSignal(p api.Project) signal {
	g, words := v.Style.Glyph, wording.Status(p.State)
	switch p.State {
	case api.ProjectArchived:
		return signal{g("◌", "[.]"), words, v.Style.Faint}
	case api.ProjectFree:
		return signal{g("○", "[ ]"), words, v.Style.Faint}
	case "completed":
		return signal{g("●", "[x]"), words, v.Style.Good}
	case "awaiting_review":
		return signal{g("◇", "[?]"), words, v.Style.Asking}
	case api.ProjectPaused, api.ProjectWaiting:
		return signal{g("‖", "[=]"), words, v.Style.Asking}
	case "failed", api.ProjectUnreadable, api.ProjectStranded:
		return signal{g("✗", "[!]"), words, v.Style.Bad}
	case api.ProjectRunning:
	}
	return signal{g("◐", "[>]"), words, v.Style.Busy}
}
