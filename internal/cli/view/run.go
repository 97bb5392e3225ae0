package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// evidenceLines is how much of a failing check's output a look at a run shows.
const evidenceLines = 12

// Runs is a list of runs, one line each and a second where a person must act.
func (v View) Runs(runs []api.Run) []string {
	alias, stage := 8, 5
	for _, r := range runs {
		alias = max(alias, terminal.Width(terminal.Line(r.Alias)))
		stage = max(stage, terminal.Width(terminal.Line(r.Stage)))
	}
	var lines []string
	for _, r := range runs {
		s := v.runSignal(r)
		lines = append(lines, v.fit(strings.Join([]string{
			s.String(), v.Style.Strong(pad(terminal.Line(r.Alias), alias)), s.paint(pad(s.words, 13)),
			pad(terminal.Line(r.Stage), stage), pad(v.elapsed(r), 6), terminal.Line(r.Title),
		}, "  ")))
		if r.Next != "" && !core.RunStatus(r.Status).Terminal() {
			lines = append(lines, strings.Repeat(" ", terminal.Width(s.symbol)+2)+v.Style.Faint(terminal.Line(r.Next)))
		}
	}
	return lines
}

func (v View) elapsed(r api.Run) string {
	end := v.Now
	if r.EndedAt != nil {
		end = *r.EndedAt
	}
	if r.StartedAt.IsZero() {
		return ""
	}
	return Duration(end.Sub(r.StartedAt).Truncate(time.Second))
}

// Run is a run in detail: its stages, what was tried, what was found, and what
// waits.
func (v View) Run(d api.RunDetail) []string {
	s := v.runSignal(d.Run)
	head := fmt.Sprintf("%s %s  %s  %s", s, v.Style.Strong(terminal.Line(d.Alias)), s.paint(s.words), terminal.Line(d.Title))
	lines := append([]string{v.fit(head)}, append(v.facts(d), "")...)
	width := 8
	for _, st := range d.Stages {
		width = max(width, terminal.Width(st.ID))
	}
	for _, st := range d.Stages {
		lines = append(lines, v.stage(st, width)...)
	}
	return append(lines, v.waits(d)...)
}

// facts are where the work is, and what it took.
func (v View) facts(d api.RunDetail) []string {
	unenforced := ""
	if d.Isolation == "none" {
		unenforced = v.Style.Asking("unenforced")
	}
	money := ""
	if d.CostUSD > 0 {
		money = Money(d.CostUSD)
	}
	tokens := ""
	if d.Tokens > 0 {
		tokens = Tokens(d.Tokens)
	}
	where := fmt.Sprintf("%s from %s", terminal.Line(d.Branch), terminal.Line(d.Base))
	return []string{
		v.fit("  " + v.dots(unenforced, v.Style.Faint(where), v.Style.Faint(terminal.Line(d.Playbook)))),
		v.fit("  " + v.Style.Faint(v.dots(v.elapsed(d.Run), count(d.Attempts, "attempt"), money, tokens))),
	}
}

func (v View) stage(st api.Stage, width int) []string {
	s := v.stageSignal(st.Status)
	words := s.words
	if st.Round > 1 {
		words += fmt.Sprintf(", round %d", st.Round)
	}
	lines := []string{v.fit(fmt.Sprintf("  %s %s  %s", s, pad(terminal.Line(st.ID), width), s.paint(words)))}
	if core.StageStatus(st.Status).Closed() {
		return lines
	}
	for _, t := range st.Tasks {
		lines = append(lines, v.task(t)...)
	}
	return lines
}

func (v View) task(t api.Task) []string {
	tries := ""
	if len(t.Attempts) > 0 {
		tries = fmt.Sprintf("%d of %d attempts", t.Counted, t.Limit)
	}
	about := v.dots(terminal.Line(t.ID), terminal.Line(t.Role), t.Status, tries)
	lines := []string{v.fit("      " + about)}
	if t.Blocked != "" {
		lines = append(lines, v.fit("      waits for "+terminal.Line(t.Blocked)))
	}
	for i, a := range t.Attempts {
		lines = append(lines, v.attempt(a, i == len(t.Attempts)-1)...)
	}
	return lines
}

// attempt shows every attempt in a line, and of the newest what its checks
// found.
func (v View) attempt(a api.Attempt, newest bool) []string {
	spent := ""
	if a.Duration > 0 {
		spent = Duration(a.Duration)
	} else if a.Status == string(core.AttemptRunning) && !a.StartedAt.IsZero() {
		spent = Duration(v.Now.Sub(a.StartedAt).Truncate(time.Second))
	}
	state := a.Status
	if a.Exit != "" {
		state = a.Exit
	}
	verdict := ""
	if a.Verdict != "" {
		verdict = "checks " + a.Verdict
	}
	lines := []string{v.fit("        " + v.dots(terminal.Line(a.ID), terminal.Line(a.Agent), state, verdict, spent))}
	if a.Message != "" {
		lines = append(lines, "          "+terminal.Line(a.Message))
	}
	if !newest {
		return lines
	}
	for _, r := range a.Rejected {
		lines = append(lines, v.fit("          not accepted: "+terminal.Line(r)))
	}
	for _, n := range a.Notes {
		lines = append(lines, v.fit("          note: "+terminal.Line(n)))
	}
	for _, r := range a.Results {
		lines = append(lines, "          "+v.checkSignal(r)+" "+terminal.Line(r.Check))
		if !r.Passed {
			lines = append(lines, v.evidence(r.Detail)...)
		}
	}
	return lines
}

// evidence is the tail of what a failing check said. It is never cut to the
// width: what is missing could be what matters.
func (v View) evidence(detail string) []string {
	detail = strings.TrimRight(terminal.Text(detail), "\n")
	if detail == "" {
		return nil
	}
	all := strings.Split(detail, "\n")
	var lines []string
	if cut := len(all) - evidenceLines; cut > 0 {
		all = all[cut:]
		lines = append(lines, "            "+v.Style.Faint(fmt.Sprintf("(%s left out)", count(cut, "line"))))
	}
	for _, l := range all {
		lines = append(lines, "            "+strings.ReplaceAll(l, "\t", "    "))
	}
	return lines
}

// waits says what a person must know and can type.
func (v View) waits(d api.RunDetail) []string {
	var lines []string
	if d.Gate != nil && !d.Gate.Approved {
		lines = append(lines, v.Gate(d.Gate)...)
	}
	if d.Reason != "" {
		lines = append(lines, "", "  "+v.runSignal(d.Run).paint(terminal.Line(d.Reason)))
	}
	if d.URL != "" {
		lines = append(lines, "", "  pull request: "+terminal.Line(d.URL))
	}
	if d.Next != "" && !core.RunStatus(d.Status).Terminal() {
		lines = append(lines, "", "  next: "+terminal.Line(d.Next))
	}
	return lines
}

// Gate is what a person is asked to approve. None of it is cut.
func (v View) Gate(g *core.Gate) []string {
	s := g.Subject
	lines := []string{"", fmt.Sprintf("  stage %s, round %d, delivery %s at commit %s",
		terminal.Line(s.Stage), s.Round, short(s.Delivery), short(s.Commit))}
	if s.Ref != "" {
		lines = append(lines, fmt.Sprintf("  publishes to %s on %s, into %s",
			terminal.Line(s.Ref), terminal.Line(s.Remote), terminal.Line(s.Base)))
	}
	for _, n := range g.Notices {
		lines = append(lines, v.Style.Asking("  note: ")+terminal.Line(n))
	}
	for _, f := range g.Findings {
		where := terminal.Line(f.File)
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		lines = append(lines, "  finding: "+strings.TrimPrefix(colon(where, terminal.Line(f.Issue)), ": "))
	}
	if g.Suggestion != "" {
		lines = append(lines, "  suggestion: go back to "+terminal.Line(g.Suggestion))
	}
	return lines
}

// Waiting is an entry of the inbox.
func (v View) Waiting(w api.Waiting) []string {
	lines := v.Runs([]api.Run{w.Run})
	if w.Pause != nil && w.Pause.Reason != "" {
		lines = append(lines, v.fit("  "+terminal.Line(w.Pause.Reason)))
	}
	if w.Gate != nil {
		lines = append(lines, v.Gate(w.Gate)[1:]...)
	}
	return lines
}
