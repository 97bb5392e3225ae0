package view

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// signal is how a status looks: a symbol, words and a colour.
type signal struct {
	symbol string
	words  string
	paint  func(string) string
}

func (s signal) String() string { return s.paint(s.symbol) }

func (v View) stageSignal(status string) signal {
	g := v.Style.Glyph
	switch core.StageStatus(status) {
	case core.StageDone:
		return signal{g("●", "[x]"), "passed", v.Style.Good}
	case core.StageOpen:
		return signal{g("◐", "[>]"), "under way", v.Style.Busy}
	case core.StageGated:
		return signal{g("◆", "[?]"), "waits for you", v.Style.Asking}
	case core.StageOmitted:
		return signal{g("⊘", "[-]"), "skipped", v.Style.Faint}
	case core.StageStale:
		return signal{g("↺", "[~]"), "to be redone", v.Style.Faint}
	case core.StagePending:
		return signal{g("○", "[ ]"), "to come", v.Style.Faint}
	}
	return signal{g("·", "[.]"), status, v.Style.Faint}
}

func (v View) runSignal(r api.Run) signal {
	g := v.Style.Glyph
	switch core.RunStatus(r.Status) {
	case core.StatusCompleted:
		return signal{g("●", "[x]"), "completed", v.Style.Good}
	case core.StatusActive:
		return signal{g("◐", "[>]"), "under way", v.Style.Busy}
	case core.StatusAwaiting:
		return signal{g("◆", "[?]"), "waits for you", v.Style.Asking}
	case core.StatusPaused:
		return signal{g("‖", "[=]"), "paused", v.Style.Asking}
	case core.StatusFailed:
		return signal{g("✗", "[!]"), "failed", v.Style.Bad}
	case core.StatusCancelled:
		return signal{g("✗", "[!]"), "cancelled", v.Style.Bad}
	}
	return signal{g("·", "[.]"), r.Status, v.Style.Faint}
}

func (v View) checkSignal(r core.CheckResult) string {
	if r.Passed {
		return v.Style.Good(v.Style.Glyph("✓", "ok  "))
	}
	return v.Style.Bad(v.Style.Glyph("✗", "FAIL"))
}

// dots joins what is not empty.
func (v View) dots(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, v.Style.Glyph(" · ", " - "))
}
