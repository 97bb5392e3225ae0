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

// delegationsShown is how many of a manager's delegations a look at a run shows.
const delegationsShown = 15

// managed is what a run that a manager drives shows in place of its stages: the
// manager's turn, what it delegated, what of that is under way, and what it
// asks.
func (v View) managed(d api.RunDetail) []string {
	var lines []string
	for _, st := range d.Stages {
		if st.ID == core.ManagerStage {
			s := v.stageSignal(d.Run, st)
			lines = append(lines, v.hang(fmt.Sprintf("  %s ", s), nil, turn(d.Manager))...)
			if !st.Status.Closed() {
				lines = append(lines, v.stage(d.Run, st, 0)[1:]...)
			}
		}
	}
	lines = append(lines, v.delegations(d.Manager.Delegations)...)
	if open := v.openLines(d); len(open) > 0 {
		lines = append(append(lines, ""), open...)
	}
	for _, q := range d.Manager.Questions {
		lines = append(append(lines, ""), v.Question(q)...)
	}
	return lines
}

// openLines are the open stages other than the manager's.
func (v View) openLines(d api.RunDetail) []string {
	var lines []string
	for _, st := range d.Stages {
		if st.ID != core.ManagerStage && !st.Status.Closed() {
			lines = append(lines, v.stage(d.Run, st, 8)...)
		}
	}
	return lines
}

// turn is the manager's turn and what woke it.
func turn(m *api.Manager) string {
	text := turnNumber(m)
	if woken := wakers(m.Woken); woken != "" {
		text += ", woken by " + woken
	}
	if next := wakers(m.Wakes); next != "" {
		text += "; then " + next
	}
	return text
}

func turnNumber(m *api.Manager) string {
	text := fmt.Sprintf("manager: turn %d", m.Turn)
	if !m.Busy {
		text += " ended"
	}
	return text
}

// wakers names what a manager is woken by, each once.
func wakers(wakes []core.Wake) string {
	var names []string
	seen := map[string]int{}
	for _, w := range wakes {
		name := waker(w)
		if seen[name]++; seen[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if n := seen[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d times)", name, n)
		}
	}
	return strings.Join(names, ", ")
}

func waker(w core.Wake) string {
	switch w.Kind {
	case core.WakeEpic:
		return "the goal"
	case core.WakeTask:
		return strings.TrimSpace(w.Subject + " " + strings.ToLower(w.Status))
	case core.WakeMessage:
		return "a message"
	case core.WakeAnswer:
		return "the answer to " + w.Subject
	case core.WakeChanges:
		return "wanted changes"
	case core.WakeChecks:
		return "failed checks of the pull request"
	case core.WakeWatchdog:
		return "the watchdog"
	case core.WakePerson:
		return "you"
	}
	return string(w.Kind)
}

// delegations is a line for each of the newest, and why one failed.
func (v View) delegations(all []api.Delegation) []string {
	var lines []string
	if cut := len(all) - delegationsShown; cut > 0 {
		all = all[cut:]
		lines = append(lines, "    "+v.Style.Faint(fmt.Sprintf("(%s left out)", wording.Count(cut, "earlier delegation"))))
	}
	width := 3
	for _, d := range all {
		width = max(width, terminal.Width(d.ID))
	}
	for _, d := range all {
		s := v.delegationSignal(d.Status)
		title := terminal.Line(d.Title)
		if d.Kind != "" && string(d.Kind) != d.Title {
			title += v.Style.Faint(" (" + terminal.Line(string(d.Kind)) + ")")
		}
		lines = append(lines, v.fit(fmt.Sprintf("  %s %s  %s  %s", s, terminal.Pad(terminal.Line(d.ID), width), s.paint(terminal.Pad(s.words, 9)), title)))
		if d.Reason != "" {
			lines = append(lines, v.hang("      ", v.Style.Faint, d.Reason)...)
		}
	}
	return lines
}

func (v View) delegationSignal(status core.DelegationStatus) signal {
	g := v.Style.Glyph
	switch status {
	case core.DelegationDone:
		return signal{g("●", "[x]"), "done", v.Style.Good}
	case core.DelegationOpen:
		return signal{g("◐", "[>]"), "under way", v.Style.Busy}
	case core.DelegationWaiting:
		return signal{g("○", "[ ]"), "waits", v.Style.Faint}
	case core.DelegationBlocked:
		return signal{g("◆", "[?]"), "asks", v.Style.Asking}
	case core.DelegationPartial:
		return signal{g("◑", "[/]"), "partly", v.Style.Asking}
	case core.DelegationFailed:
		return signal{g("✗", "[!]"), "failed", v.Style.Bad}
	case core.DelegationRefused, core.DelegationDropped:
		return signal{g("⊘", "[-]"), string(status), v.Style.Faint}
	}
	return signal{g("·", "[.]"), terminal.Line(string(status)), v.Style.Faint}
}

// managedTrack is the live view's line of a run that a manager drives: its turn,
// and its delegations by state.
func (v View) managedTrack(d api.RunDetail) string {
	counts := map[string]int{}
	for _, del := range d.Manager.Delegations {
		counts[v.delegationSignal(del.Status).words]++
	}
	parts := []string{turnNumber(d.Manager)}
	for _, words := range []string{"under way", "waits", "done", "failed"} {
		if n := counts[words]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	if woken := wakers(d.Manager.Woken); woken != "" {
		parts = append(parts, "woken by "+woken)
	}
	return v.fit(terminal.Line(v.dots(parts...)))
}

// AsksOnly reports a run that waits for nothing but answers, which are shown
// with what to type.
func AsksOnly(d api.RunDetail) bool {
	return d.Manager != nil && d.Manager.Asks || d.Waves != nil && d.Waves.Asks
}

// Due is when a run that waits for nothing but answers goes on without them; zero
// if it does not.
func Due(d api.RunDetail) time.Time {
	switch {
	case d.Waves != nil && d.Waves.Asks:
		return d.Waves.Due
	case d.Manager != nil && d.Manager.Asks:
		return d.Manager.Due
	}
	return time.Time{}
}
