package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Engines is who works on a store, each with what it owns, and then what none of them can work on.
func (v View) Engines(list api.EngineList) []string {
	host := 8
	for _, e := range list.Engines {
		host = max(host, terminal.Width(terminal.Line(e.Host)))
	}
	var lines []string
	for _, e := range list.Engines {
		s := v.engineSignal(e)
		lines = append(lines, v.fit(strings.Join([]string{
			s.String(), v.Style.Strong(terminal.Pad(terminal.Line(e.Host), host)), s.paint(terminal.Pad(s.words, 8)), v.life(e),
		}, "  ")))
		indent := strings.Repeat(" ", terminal.Width(s.symbol)+2)
		lines = append(lines, v.hang(indent, nil, owns(e))...)
		if uses := v.dots(terminal.Line(e.Forge), terminal.Line(e.Model)); uses != "" {
			lines = append(lines, v.hang(indent, v.Style.Faint, "as "+terminal.Line(e.Person)+": "+uses)...)
		}
		lines = append(lines, v.hang(indent, v.Style.Faint, v.standing(e, list.Shared))...)
	}
	for _, p := range list.Stranded {
		lines = append(lines, "", v.fit(v.Style.Bad(v.Style.Glyph("✗", "[!]"))+"  "+v.Style.Strong(terminal.Line(p.Name))+"  "+v.Style.Bad(wording.Status(api.ProjectStranded))))
		lines = append(lines, v.hang("   ", v.Style.Asking, terminal.Line(p.Reason))...)
		lines = append(lines, v.hang("   ", v.Style.Faint, terminal.Line(p.Next))...)
	}
	return lines
}

// life is an engine's version, and since when it runs.
func (v View) life(e api.Engine) string {
	version := ""
	if e.Version != "" {
		version = "version " + terminal.Line(e.Version)
	}
	return v.dots(version, v.at("since ", e.Since, "2006-01-02 15:04"))
}

// standing is how an engine stands at the moment, and how it is told from others.
func (v View) standing(e api.Engine, shared bool) string {
	const second = "15:04:05"
	lease, attempts, here := v.at("lease until ", e.Lease, second), "", ""
	if e.State == api.EngineGone {
		lease = v.at("lease ended ", e.Lease, "2006-01-02 15:04")
	}
	if e.Attempts > 0 {
		attempts = wording.Count(e.Attempts, "attempt") + " on its machine"
	}
	if e.Here && shared {
		here = "answers you"
	}
	return v.dots(v.at("draining since ", e.Drains, second), lease, attempts, terminal.Line(e.URL), here, terminal.Line(e.ID))
}

// at is a time, if there is one.
func (v View) at(what string, t *time.Time, layout string) string {
	if t == nil {
		return ""
	}
	return what + t.In(v.Zone).Format(layout)
}

// owner says who works on a run or project, and with whose credentials.
func owner(o *api.Owner) []string { return wording.Owner(o.Host, o.Person, o.Forge, o.Model) }

// owns names the projects of an engine.
func owns(e api.Engine) string {
	if len(e.Projects) == 0 {
		return "no projects"
	}
	names := make([]string, len(e.Projects))
	for i, p := range e.Projects {
		names[i] = terminal.Line(p.Name)
	}
	what := wording.Count(len(names), "project")
	if e.State == api.EngineGone {
		what += " left behind"
	}
	return fmt.Sprintf("%s: %s", what, strings.Join(names, ", "))
}

func (v View) engineSignal(e api.Engine) signal {
	g, words := v.Style.Glyph, wording.Status(e.State)
	switch e.State {
	case api.EngineWorking:
		return signal{g("●", "[x]"), words, v.Style.Good}
	case api.EngineDraining:
		return signal{g("‖", "[=]"), words, v.Style.Asking}
	case api.EngineGone, api.EngineRetired:
	}
	return signal{g("✗", "[!]"), words, v.Style.Bad}
}
