package view

import (
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// inWaves is what a run whose work is delegated in waves shows in place of its
// stages: the wave, its delegations, what of them is under way, what was refused,
// and what is asked.
func (v View) inWaves(d api.RunDetail) []string {
	w := d.Waves
	lines := v.hang("  ", nil, v.wave(w))
	lines = append(lines, v.pieces(w.Pieces)...)
	var open []string
	for _, st := range d.Stages {
		if !st.Status.Closed() {
			open = append(open, v.stage(d.Run, st, 8)...)
		}
	}
	if len(open) > 0 {
		lines = append(append(lines, ""), open...)
	}
	lines = append(lines, v.refusals(w)...)
	for _, q := range w.Questions {
		lines = append(append(lines, ""), v.Question(q)...)
	}
	return lines
}

// wave says where a run in waves is.
func (v View) wave(w *api.Waves) string {
	text := "the planner looks at the goal"
	switch {
	case w.Open && w.Planning:
		text = fmt.Sprintf("wave %d of at most %d, being closed", w.N, w.Most)
	case w.Open:
		text = fmt.Sprintf("wave %d of at most %d, open for %s", w.N, w.Most, wording.Duration(v.Now.Sub(w.Since).Truncate(time.Second)))
	case w.N > 0 && w.Planning:
		text = fmt.Sprintf("wave %d of at most %d is over; the planner decides", w.N, w.Most)
	case w.N > 0:
		text = fmt.Sprintf("wave %d of at most %d is over", w.N, w.Most)
	case !w.Planning:
		text = "no wave yet"
	}
	return v.dots(text, wording.Count(w.Facts, "fact"))
}

// pieces is a line for each of the newest delegations, and why it waits or failed.
func (v View) pieces(all []api.Piece) []string {
	var lines []string
	if cut := len(all) - delegationsShown; cut > 0 {
		all = all[cut:]
		lines = append(lines, "    "+v.Style.Faint(fmt.Sprintf("(%s left out: `stellwerk plan` shows them)", wording.Count(cut, "earlier delegation"))))
	}
	width := 3
	for _, p := range all {
		if w := terminal.Width(terminal.Line(p.ID)); w <= idColumns { // a longer one sticks out, and the others stay narrow
			width = max(width, w)
		}
	}
	for _, p := range all {
		s := v.pieceSignal(p)
		about := v.Style.Faint(fmt.Sprintf("wave %d, %s", p.Wave, terminal.Line(p.Role)))
		if title := terminal.Line(p.Title); title != "" {
			about += ": " + title // the end of a long one may be cut
		}
		lines = append(lines, v.fit(fmt.Sprintf("  %s %s  %s  %s", s, terminal.Pad(terminal.Line(p.ID), width), s.paint(terminal.Pad(s.words, 9)), about)))
		for _, why := range whys(p) {
			lines = append(lines, v.hang("      ", v.Style.Faint, why)...)
		}
	}
	return lines
}

// whys are the reasons for a piece's state.
func whys(p api.Piece) []string {
	var list []string
	add := func(text string) { list = append(list, text) }
	if p.Reason != "" {
		add(p.Reason)
	}
	for _, q := range p.Waits {
		add("waits for the answer to " + q)
	}
	for _, c := range p.Unmet {
		add("unmet: " + c)
	}
	if p.Stale != "" {
		add("was built on " + p.Stale + ", which no longer holds")
	}
	return list
}

// refusals are the planner's last proposals that were refused.
func (v View) refusals(w *api.Waves) []string {
	var lines []string
	for _, no := range w.Refused {
		lines = append(lines, v.hang("  "+v.Style.Glyph("⊘", "[-]")+" ", nil, fmt.Sprintf("%s was not taken on (%s): %s", no.ID, no.Code, no.Reason))...)
	}
	for _, why := range w.Objections {
		lines = append(lines, v.hang("  "+v.Style.Glyph("⊘", "[-]")+" ", nil, "not followed: "+why)...)
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{""}, lines...)
}

// wavesTrack is the live view's line of a run in waves: the wave, and its
// delegations by state.
func (v View) wavesTrack(d api.RunDetail) string {
	counts := map[string]int{}
	for _, p := range d.Waves.Pieces {
		counts[v.pieceSignal(p).words]++
	}
	var parts []string
	if d.Waves.N > 0 {
		parts = append(parts, fmt.Sprintf("wave %d", d.Waves.N))
	}
	for _, words := range []string{"under way", "waits", "asks", "done", "partly", "failed"} {
		if n := counts[words]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	switch {
	case d.Waves.Planning && d.Waves.N == 0:
		parts = append(parts, "the planner looks at the goal")
	case d.Waves.Planning:
		parts = append(parts, "the planner decides")
	}
	return v.fit(v.dots(parts...))
}

func (v View) pieceSignal(p api.Piece) signal {
	g := v.Style.Glyph
	if p.Status == api.PieceStuck {
		return signal{g("◆", "[?]"), "stuck", v.Style.Asking}
	}
	switch core.StageStatus(p.Status) {
	case core.StageGated:
		return signal{g("◆", "[?]"), "for you", v.Style.Asking}
	case core.StageOmitted:
		return signal{g("⊘", "[-]"), "skipped", v.Style.Faint}
	case core.StageStale:
		return signal{g("↺", "[~]"), "again", v.Style.Faint}
	default:
		return v.delegationSignal(core.DelegationStatus(p.Status))
	}
}
