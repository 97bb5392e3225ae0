package view

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// signal is how a status looks: a symbol, words and a colour.
type signal struct {
	symbol string
	words  string
	paint  func(string) string
}

func (s signal) String() string { return s.paint(s.symbol) }

// rest is the state of an open stage whose run has halted; "" if the run goes on or
// an agent still works.
func (v View) rest(r api.Run, st api.Stage) string {
	if status := st.Status; status != core.StageOpen && status != core.StageGated {
		return ""
	}
	switch status := r.Status; {
	case status.Terminal():
		return "left off"
	case atWork(r, st):
		return ""
	case status == core.StatusPaused:
		return "paused"
	case status == core.StatusActive && v.Unattended:
		return "stands still"
	}
	return ""
}

// AtWork reports that something of the run is still under way: an attempt of
// which a process may exist, checks, or an act of the engine.
func AtWork(d api.RunDetail) bool {
	return slices.ContainsFunc(d.Stages, func(st api.Stage) bool { return atWork(d.Run, st) })
}

func atWork(r api.Run, st api.Stage) bool {
	stopped := r.Halted || r.Status.Terminal()
	return slices.ContainsFunc(st.Tasks, func(t api.Task) bool {
		if t.Status == core.TaskVerifying || t.Status == core.TaskRunning && t.Act != "" {
			return !stopped
		}
		return slices.ContainsFunc(t.Attempts, func(a api.Attempt) bool { return a.Status.Active() })
	})
}

func (v View) stageSignal(r api.Run, st api.Stage) signal {
	g := v.Style.Glyph
	if words := v.rest(r, st); words != "" {
		return signal{g("◌", "[.]"), words, v.Style.Faint}
	}
	words := wording.Status(st.Status)
	switch st.Status {
	case core.StageDone:
		return signal{g("●", "[x]"), words, v.Style.Good}
	case core.StageOpen:
		return signal{g("◐", "[>]"), words, v.Style.Busy}
	case core.StageGated:
		return signal{g("◆", "[?]"), words, v.Style.Asking}
	case core.StageOmitted:
		return signal{g("⊘", "[-]"), words, v.Style.Faint}
	case core.StageStale:
		return signal{g("↺", "[~]"), words, v.Style.Faint}
	case core.StagePending:
		return signal{g("○", "[ ]"), words, v.Style.Faint}
	}
	return signal{g("·", "[.]"), words, v.Style.Faint}
}

func (v View) runSignal(r api.Run) signal {
	g := v.Style.Glyph
	words := wording.Status(r.Status)
	if r.Status == api.StatusRefused || r.Status == api.StatusUnreadable {
		return signal{g("✗", "[!]"), words, v.Style.Bad}
	}
	switch r.Status {
	case core.StatusCompleted:
		return signal{g("●", "[x]"), words, v.Style.Good}
	case core.StatusActive:
		if v.Unattended || r.Stranded != "" {
			return signal{g("◌", "[.]"), "no engine", v.Style.Faint}
		}
		if r.Turn != "" {
			return signal{g("◌", "[.]"), "waits its turn", v.Style.Faint}
		}
		return signal{g("◐", "[>]"), words, v.Style.Busy}
	case core.StatusAwaiting:
		return signal{g("◆", "[?]"), words, v.Style.Asking}
	case core.StatusReview:
		return signal{g("◇", "[?]"), words, v.Style.Asking}
	case core.StatusPaused:
		return signal{g("‖", "[=]"), words, v.Style.Asking}
	case core.StatusFailed:
		return signal{g("✗", "[!]"), words, v.Style.Bad}
	case core.StatusCancelled:
		return signal{g("✗", "[!]"), words, v.Style.Bad}
	}
	return signal{g("·", "[.]"), words, v.Style.Faint}
}

func (v View) checkSignal(r core.CheckResult) string {
	if r.Passed {
		return v.Style.Good(v.Style.Glyph("✓", "ok  "))
	}
	return v.Style.Bad(v.Style.Glyph("✗", "FAIL"))
}

// dots joins the parts that are not empty.
func (v View) dots(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, v.Style.Glyph(" · ", " - "))
}
