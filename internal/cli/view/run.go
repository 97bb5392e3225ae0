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

// evidenceLines is how much of a failing check's output a look at a run shows.
const evidenceLines = 12

// projectColumns is how wide a list shows a project's name.
const projectColumns = 14

// titleColumns is how much of a run's title a list shows at least.
const titleColumns = 20

// Runs is a list of runs, one line each, and a second if a person can act. If they
// belong to several projects, each shows its project.
func (v View) Runs(runs []api.Run) []string {
	alias, stage, project := 8, 5, 0
	for _, r := range runs {
		if r.Project != runs[0].Project {
			project = projectColumns
		}
		alias = max(alias, terminal.Width(terminal.Line(r.Alias)))
		stage = max(stage, terminal.Width(terminal.Line(r.Stage)))
	}
	var lines []string
	for _, r := range runs {
		s := v.runSignal(r)
		columns := []string{s.String(), v.Style.Strong(terminal.Pad(terminal.Line(r.Alias), alias))}
		if project > 0 {
			columns = append(columns, terminal.Pad(v.Style.Fit(terminal.Line(cmp.Or(v.ProjectNames[r.Project], r.Project)), project), project))
		}
		columns = append(columns, s.paint(terminal.Pad(s.words, 15)), terminal.Pad(terminal.Line(r.Stage), stage), terminal.Pad(v.elapsed(r), 6))
		lines = append(lines, v.titled(strings.Join(columns, "  "), strings.Repeat(" ", terminal.Width(s.symbol)+2), terminal.Line(core.IssueTitle(r.Issue, r.Title)))...)
		if r.Status == api.StatusUnreadable {
			lines = append(lines, v.hang(strings.Repeat(" ", terminal.Width(s.symbol)+2), v.Style.Asking, terminal.Line(r.Reason))...)
		}
		if r.Stranded != "" {
			lines = append(lines, v.hang(strings.Repeat(" ", terminal.Width(s.symbol)+2), v.Style.Asking, terminal.Line(r.Stranded))...)
		}
		if r.Turn != "" {
			lines = append(lines, v.hang(strings.Repeat(" ", terminal.Width(s.symbol)+2), v.Style.Faint, r.Turn)...)
		}
		if r.Next != "" && !r.Status.Terminal() {
			lines = append(lines, v.hang(strings.Repeat(" ", terminal.Width(s.symbol)+2), v.Style.Faint, v.typed(r.Next))...)
		}
	}
	return lines
}

// titled is a line of a list with a run's title at its end, or below it if too little of it would be seen.
func (v View) titled(line, indent, title string) []string {
	if room := v.Width - terminal.Width(line) - 2; v.Width > 0 && room < min(titleColumns, terminal.Width(title)) {
		return []string{v.fit(strings.TrimRight(line, " ")), v.fit(indent + title)}
	}
	return []string{v.fit(line + "  " + title)}
}

func (v View) elapsed(r api.Run) string {
	end := v.Now
	if r.EndedAt != nil {
		end = *r.EndedAt
	}
	if r.StartedAt.IsZero() {
		return ""
	}
	return wording.Duration(end.Sub(r.StartedAt).Truncate(time.Second))
}

// lasted is elapsed in words. It is time by the clock, waiting included, unlike the
// working time that limits count.
func (v View) lasted(r api.Run) string {
	elapsed := v.elapsed(r)
	switch {
	case elapsed == "":
		return ""
	case r.EndedAt != nil:
		return "took " + elapsed
	}
	return "began " + elapsed + " ago"
}

// Run is a run in detail: its stages, what was tried, what was found, and what
// waits.
func (v View) Run(d api.RunDetail) []string {
	s := v.runSignal(d.Run)
	head := fmt.Sprintf("%s %s  %s  %s", s, v.Style.Strong(terminal.Line(d.Alias)), s.paint(s.words), terminal.Line(core.IssueTitle(d.Issue, d.Title)))
	lines := append([]string{v.fit(head)}, v.facts(d)...)
	if len(d.Stages) > 0 || d.Manager != nil || d.Waves != nil {
		lines = append(lines, "")
	}
	if d.Manager != nil {
		return append(append(lines, v.managed(d)...), v.waits(d)...)
	}
	if d.Waves != nil {
		return append(append(lines, v.inWaves(d)...), v.waits(d)...)
	}
	width := 8
	for _, st := range d.Stages {
		width = max(width, terminal.Width(stageName(st)))
	}
	for _, st := range d.Stages {
		lines = append(lines, v.stage(d.Run, st, width)...)
	}
	return append(lines, v.waits(d)...)
}

// facts are the run's branch, playbook and figures.
func (v View) facts(d api.RunDetail) []string {
	unenforced := ""
	if d.Isolation == "none" {
		unenforced = v.Style.Asking("unenforced")
	} else if d.Network == "open" {
		unenforced = v.Style.Asking("open network")
	}
	tokens := ""
	if d.Tokens > 0 {
		tokens = wording.Tokens(d.Tokens)
	}
	where := fmt.Sprintf("%s from %s", cmp.Or(terminal.Line(d.Branch), "documents"), terminal.Line(d.Base))
	lines := []string{
		v.fit("  " + v.dots(unenforced, v.Style.Faint(where), v.Style.Faint(terminal.Line(d.Playbook)))),
		v.fit("  " + v.Style.Faint(v.dots(v.lasted(d.Run), wording.Count(d.Attempts, "attempt"), spoken(d.Cost), tokens))),
	}
	if d.Stranded != "" {
		lines = append(lines, v.hang("  ", v.Style.Asking, terminal.Line(d.Stranded))...)
	}
	if d.Owner != nil {
		lines = append(lines, v.hang("  ", v.Style.Faint, v.dots(owner(d.Owner)...))...)
	}
	if chosen := v.choices(d.Options); chosen != "" {
		lines = append(lines, v.fit("  "+v.Style.Faint(chosen)))
	}
	if bounds := wording.Resources(d.Resources.Attempt); bounds != "" {
		lines = append(lines, v.fit("  "+v.Style.Faint("an attempt has at most "+bounds)))
	}
	if d.MergedBy != "" {
		lines = append(lines, v.fit("  "+v.Style.Faint(fmt.Sprintf("merged by %s as %s", terminal.Line(d.MergedBy), wording.Short(d.Merge)))))
	}
	for _, note := range wording.Preflight(d.Preflight) {
		lines = append(lines, v.hang("  ", v.Style.Faint, terminal.Line(note))...)
	}
	if len(d.Opaque) > 0 {
		lines = append(lines, v.hang("  ", v.Style.Asking, "unobserved: tool calls of "+agents(d.Opaque)+" are neither seen nor held to a role's list")...)
	}
	return lines
}

// spoken is a cost that stands among other figures; "" if there is none.
func spoken(c core.Cost) string {
	if c.Known() <= 0 && c.Unpriced <= 0 {
		return ""
	}
	if c.Unpriced > 0 && c.CostUSD == nil {
		return "cost unknown"
	}
	return wording.Cost(c)
}

// agents names agents.
func agents(names []string) string {
	text := "agent "
	if len(names) > 1 {
		text = "agents "
	}
	return text + terminal.Line(strings.Join(names, ", "))
}

// choices are what was chosen when the run started.
func (v View) choices(c core.Options) string {
	coverage, tier, designer := "", "", ""
	if c.Coverage > 0 {
		coverage = fmt.Sprintf("coverage %d%%", c.Coverage)
	}
	if c.ModelTier != "" {
		tier = "model tier " + terminal.Line(string(c.ModelTier))
	}
	if c.UIDesigner {
		designer = "with a UI designer"
	}
	return v.dots(coverage, tier, designer)
}

// stageName is a stage's id, and before it a phase's number, which rollback takes.
func stageName(st api.Stage) string { return strings.TrimSpace(st.Number + " " + terminal.Line(st.ID)) }

func (v View) stage(r api.Run, st api.Stage, width int) []string {
	s := v.stageSignal(r, st)
	words := s.words
	if st.Skip == core.SkipPlan {
		words += " by the plan"
	}
	if st.Round > 1 {
		words += fmt.Sprintf(", round %d", st.Round)
	}
	title := ""
	if st.Branch != "" { // a step of a plan: its name alone says nothing
		title = "  " + v.Style.Faint(terminal.Line(st.Title))
	}
	lines := []string{v.fit(fmt.Sprintf("  %s %s  %s%s", s, terminal.Pad(stageName(st), width), s.paint(words), title))}
	if st.Status.Closed() {
		return lines
	}
	for _, t := range st.Tasks {
		lines = append(lines, v.task(r, t)...)
	}
	return lines
}

func (v View) task(r api.Run, t api.Task) []string {
	state := string(t.Status)
	switch {
	case r.Status.Terminal() && t.Status == core.TaskWaiting:
		state = "" // nothing waits any more
	case r.Halted && t.Status == core.TaskVerifying:
		state = "checks stopped"
	}
	about := v.dots(terminal.Line(t.ID), terminal.Line(cmp.Or(t.Role, string(t.Act))), state, tries(t))
	lines := []string{v.fit("      " + about)}
	if again := v.again(r, t); again != "" {
		lines = append(lines, v.fit("      "+again))
	}
	if t.Blocked != "" {
		lines = append(lines, v.hang("      ", nil, t.Blocked)...)
	}
	for i, a := range t.Attempts {
		lines = append(lines, v.attempt(a, i == len(t.Attempts)-1)...)
	}
	return lines
}

// tries is how many attempts count; those lost to something outside the work
// do not.
func tries(t api.Task) string {
	if len(t.Attempts) == 0 {
		return ""
	}
	ended := len(t.Attempts)
	if t.Attempts[ended-1].Status.Active() {
		ended--
	}
	text := fmt.Sprintf("%d of %d attempts", t.Counted, t.Limit)
	if lost := ended - t.Counted; lost > 0 {
		text += fmt.Sprintf(", %d not counted", lost)
	}
	return text
}

// attempt shows every attempt in a line, and of the newest what its checks
// found.
func (v View) attempt(a api.Attempt, newest bool) []string {
	spent := ""
	if a.Duration > 0 {
		spent = wording.Duration(a.Duration)
	} else if a.Status == core.AttemptRunning && !a.StartedAt.IsZero() {
		spent = wording.Duration(v.Now.Sub(a.StartedAt).Truncate(time.Second))
	}
	state := string(a.Status)
	if a.Exit != "" {
		state = wording.Exit(a.Exit)
	}
	verdict := ""
	if a.Verdict != "" {
		verdict = "checks " + string(a.Verdict)
	}
	lines := []string{v.fit("        " + v.dots(terminal.Line(a.ID), terminal.Line(a.Agent), state, verdict, spent))}
	if a.Disputed() {
		lines = append(lines, v.hang("          ", v.Style.Asking, wording.Metered(a.Usage, *a.Claimed))...)
	}
	if a.Message != "" {
		lines = append(lines, v.hang("          ", nil, a.Message)...)
	}
	if !newest {
		return lines
	}
	if a.Resources != nil {
		lines = append(lines, v.hang("          ", v.Style.Faint, wording.Consumption(*a.Resources)+" ("+terminal.Line(a.Resources.Held)+")")...)
		if breach := a.Resources.Breach; breach != "" && !strings.Contains(a.Message, breach) {
			lines = append(lines, v.hang("          limit: ", v.Style.Asking, breach)...)
		}
	}
	for _, r := range a.Rejected {
		lines = append(lines, v.hang("          not accepted: ", nil, r)...)
	}
	if refused := wording.Refused(a.Traffic); refused != "" {
		lines = append(lines, v.hang("          network: ", nil, refused)...)
		if allow := wording.Allowing(a.Traffic); allow != "" {
			lines = append(lines, v.hang("            ", v.Style.Faint, allow)...)
		}
	}
	for _, n := range a.Notes {
		lines = append(lines, v.hang("          note: ", nil, n)...)
	}
	for _, r := range a.Results {
		lines = append(lines, v.hang("          "+v.checkSignal(r)+" ", nil, r.Check)...)
		if !r.Passed {
			lines = append(lines, v.evidence(r.Detail)...)
		}
	}
	return lines
}

// evidence is the tail of a failing check's output. It is never cut to the width:
// the missing part could be the one that matters.
func (v View) evidence(detail string) []string {
	detail = strings.TrimRight(terminal.Text(detail), "\n")
	if detail == "" {
		return nil
	}
	all := strings.Split(detail, "\n")
	var lines []string
	if cut := len(all) - evidenceLines; cut > 0 {
		all = all[cut:]
		lines = append(lines, "            "+v.Style.Faint(fmt.Sprintf("(%s left out)", wording.Count(cut, "line"))))
	}
	for _, l := range all {
		lines = append(lines, "            "+strings.ReplaceAll(l, "\t", "    "))
	}
	return lines
}
