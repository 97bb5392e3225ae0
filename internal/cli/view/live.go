package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Live is a run in a few lines that can be drawn over: the track, what is
// under way, and the last thing the agent said.
func (v View) Live(d api.RunDetail, said string) []string {
	money := ""
	if d.Known() > 0 {
		money = wording.Cost(d.Cost)
	}
	head := v.dots(v.Style.Strong(terminal.Line(d.Alias)), terminal.Line(core.IssueTitle(d.Issue, d.Title)), v.elapsed(d.Run), money)
	lines := []string{v.fit(head), v.track(d)}
	if doing := v.doing(d); doing != "" {
		lines = append(lines, v.fit(doing))
	}
	if said != "" {
		lines = append(lines, v.fit(v.Style.Faint(v.Style.Glyph("› ", "> ")+terminal.Line(said))))
	}
	return lines
}

// track draws the stages as a line of signals; if they do not fit, only the current
// one keeps its name.
func (v View) track(d api.RunDetail) string {
	if d.Manager != nil {
		return v.managedTrack(d)
	}
	if d.Waves != nil {
		return v.wavesTrack(d)
	}
	full := v.signals(d, func(api.Stage) bool { return true })
	if v.Width <= 0 || terminal.Width(full) <= v.Width {
		return full
	}
	return v.fit(v.signals(d, func(s api.Stage) bool { return s.ID == d.Stage }))
}

func (v View) signals(d api.RunDetail, named func(api.Stage) bool) string {
	var parts []string
	for _, st := range d.Stages {
		s := v.stageSignal(d.Run, st)
		part := s.String()
		if named(st) {
			part += " " + terminal.Line(st.ID)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, v.Style.Faint(v.Style.Glyph(" ─ ", " - ")))
}

// doing is what is under way: an attempt, its checks, an act of the engine, or
// the wait for the next try.
func (v View) doing(d api.RunDetail) string {
	if task, attempt, ok := Current(d); ok {
		return v.under(task, attempt)
	}
	for _, st := range d.Stages {
		for _, t := range st.Tasks {
			id := terminal.Line(t.ID)
			switch again := v.again(d.Run, t); {
			case again != "":
				return v.dots(id, terminal.Line(t.Role), again)
			case t.Act != "" && t.Status == core.TaskVerifying:
				return v.dots(id, terminal.Line(string(t.Act)), "checks run once more")
			case t.Act != "" && t.Status == core.TaskRunning:
				return v.dots(id, terminal.Line(string(t.Act)), "publishing")
			}
		}
	}
	return ""
}

func (v View) under(t api.Task, a api.Attempt) string {
	// Attempts lost to infrastructure do not count, so N may exceed the limit.
	counted := t.Counted
	if a.Status != core.AttemptEnded {
		counted++
	}
	what := fmt.Sprintf("attempt %d of %d", counted, t.Limit)
	spent := ""
	if !a.StartedAt.IsZero() && a.Status != core.AttemptEnded {
		spent = wording.Duration(v.Now.Sub(a.StartedAt).Truncate(time.Second))
	}
	state := string(a.Status)
	if t.Status == core.TaskVerifying {
		state = "checks run"
		if n := len(t.Checks); n > 0 {
			state = wording.Count(n, "check") + " under way"
		}
	}
	return v.dots(terminal.Line(t.ID), terminal.Line(cmp.Or(t.Role, a.Agent)), what, state, spent)
}

// Current is the attempt that is under way, or else whose checks run.
func Current(d api.RunDetail) (api.Task, api.Attempt, bool) {
	for _, st := range d.Stages {
		for _, t := range st.Tasks {
			busy := t.Status == core.TaskRunning || t.Status == core.TaskVerifying
			if busy && len(t.Attempts) > 0 {
				return t, t.Attempts[len(t.Attempts)-1], true
			}
		}
	}
	return api.Task{}, api.Attempt{}, false
}

// Record is a transcript record as lines.
func (v View) Record(r api.Record) []string {
	label := r.Kind
	if r.Tool != "" {
		label += " " + terminal.Line(r.Tool)
	}
	if r.Outcome != "" {
		label += " " + terminal.Line(r.Outcome)
	}
	said := r.Text
	if said == "" && len(r.Input) > 0 {
		said = wording.Arguments(r.Input)
	}
	text := strings.TrimRight(terminal.Text(said), "\n")
	head := fmt.Sprintf("%s  %s", v.Style.Faint(v.clock(r.At)), v.Style.Strong(terminal.Pad(terminal.Line(label), 12)))
	if text == "" {
		return []string{strings.TrimRight(head, " ")}
	}
	return strings.Split(head+"  "+strings.ReplaceAll(text, "\n", "\n          "), "\n")
}
