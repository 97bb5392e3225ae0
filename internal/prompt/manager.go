package prompt

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Bounds of a manager's prompt: it stays as long as it is however far the project
// has come.
const (
	maxPlanText  = 6 << 10
	maxTalk      = 6 << 10
	maxMessages  = 8
	maxTold      = 1 << 10
	maxWakes     = 12
	maxOpen      = 20
	maxEnded     = 6
	maxAnswered  = 8
	maxQuestions = 10
)

// answersFile holds every answer that the state knows.
const answersFile = "answers.md"

// Desk is what a manager's prompt depends on beside its run.
type Desk struct {
	Paths  Paths
	Plan   []byte // .ai/plan.md; nil where there is none
	Inline bool   // the agent takes no system prompt: the role's text goes into this one
}

// managerView is what the template of a manager's prompt sees: lines of text that
// are ready to be shown.
type managerView struct {
	Title, Base, Branch, Goal, Role, Work     string
	Spent, Limits, PullRequest, Checks, Roles string
	Plan, PlanTrouble                         string
	Round, Missed, Said                       int
	PlanCut, AnswersCut, Inline, Closed       bool
	Wakes, Deeds, Open, Lines, Ended          []string
	Changes, Questions, Answers, Talk         []string
	AnswersName                               string
	Conversations                             []string // conversations beside the first that are shown
	Timeout                                   time.Duration
}

// BuildManager writes the prompt of a manager's turn.
func BuildManager(r *core.Run, attempt string, desk Desk) ([]byte, error) {
	stage, task, a := r.Attempt(attempt)
	if a == nil || stage.Turn == nil {
		return nil, core.Errorf(core.CodeNotFound, "run %s has no turn %s", r.Alias, attempt)
	}
	t, err := parsed()
	if err == nil {
		t, err = t.Clone()
	}
	if err != nil {
		return nil, fmt.Errorf("parse the templates of prompts: %w", err)
	}
	var b bytes.Buffer
	if err := t.Funcs(functions(Input{Paths: desk.Paths})).ExecuteTemplate(&b, "manager", seen(r, stage, task, desk)); err != nil {
		return nil, fmt.Errorf("write the prompt of the manager: %w", err)
	}
	return append(bytes.TrimSpace(blankLines.ReplaceAll(b.Bytes(), []byte("\n\n"))), '\n'), nil
}

// ManagerFiles are what the manager's prompt names in its input folder.
func ManagerFiles(r *core.Run) []File {
	if len(r.Answers) == 0 {
		return nil
	}
	var b strings.Builder
	for _, answer := range r.Answers {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", plain.Line(answer.Question.Text, maxTold), plain.Text(answer.Text))
	}
	return []File{{Name: answersFile, Content: []byte(b.String())}}
}

func seen(r *core.Run, stage *core.Stage, task *core.Task, desk Desk) managerView {
	v := managerView{
		Title: r.Title, Base: r.Base, Branch: r.Branch, Goal: plain.Head(r.Goal, maxGoal), Role: role(r.Playbook, task.Role).Prompt,
		Work: desk.Paths.Work, Inline: desk.Inline, Closed: closed(r), Round: stage.Round, Missed: stage.Turn.Missed + max(len(stage.Turn.Wakes)-maxWakes, 0), Said: r.Said,
		Spent: spent(r), Limits: limits(r), Checks: checks(r), Roles: delegates(r), Timeout: task.Timeout,
		Wakes: lines(stage.Turn.Wakes, maxWakes, wakeLine), Deeds: lines(stage.Turn.Deeds, maxOpen, deedLine),
		Lines: lines(r.OpenLines(), maxOpen, lineLine), Changes: lines(r.Driving.Changes, 5, changeBlock),
		Questions: lines(r.Questions, maxQuestions, func(q core.Question) string { return plain.Line(q.ID+": "+q.Text, maxTold) }),
		Talk:      talk(heard(r, stage.Turn)), AnswersName: answersFile, Conversations: conversations(r, stage.Turn),
	}
	v.Plan, v.PlanCut = plain.Head(string(desk.Plan), maxPlanText), len(desk.Plan) > maxPlanText
	if r.Driving.Plan != nil {
		v.PlanTrouble = r.Driving.Plan.Trouble
	}
	v.Open, v.Ended = delegations(r)
	v.Answers = lines(newest(r.Answers, maxAnswered), maxAnswered, answerLine)
	v.AnswersCut = len(r.Answers) > maxAnswered
	if pr := r.PullRequest; pr != nil {
		v.PullRequest = plain.Line(strings.TrimSpace(pr.URL+" "+string(pr.State)+" "+pr.Checks), maxInline)
	}
	return v
}

func lines[T any](list []T, most int, line func(T) string) []string {
	var out []string
	for _, item := range list[:min(len(list), most)] {
		out = append(out, line(item))
	}
	return out
}

func newest[T any](list []T, most int) []T { return list[max(len(list)-most, 0):] }

func wakeLine(w core.Wake) string {
	text := plain.Line(w.Text, maxTold)
	switch w.Kind {
	case core.WakeEpic:
		return strings.TrimSpace("The project begins. " + text)
	case core.WakeTask:
		return taskLine(w, text)
	case core.WakeMessage:
		return "A person wrote" + inside(w.Conversation) + ": " + text
	case core.WakeAnswer:
		return "Your question " + plain.Code(w.Subject, maxInline) + " was answered: " + text
	case core.WakeChanges:
		return "Somebody who looked at the work wants changes: " + plain.Code(text, maxTold)
	case core.WakeChecks:
		return "The forge's checks of the pull request failed. Have somebody look into it."
	case core.WakeWatchdog:
		return "Nothing has happened for " + duration(w.Elapsed) + ", and nothing is under way. Move the project forward, or ask."
	case core.WakePerson:
		return strings.TrimSpace("A person resumed the project. " + text)
	}
	return text
}

func taskLine(w core.Wake, text string) string {
	what := "Work " + plain.Code(w.Subject, maxInline)
	if w.Task != core.KindWork {
		what += " (" + string(w.Task) + ")"
	}
	if w.Branch != "" {
		what += " on " + plain.Code(w.Branch, maxInline)
	}
	what += " ended: **" + plain.Line(w.Status, maxInline) + "**"
	if w.Elapsed > 0 {
		what += " after " + duration(w.Elapsed)
	}
	if w.CostUSD > 0 || w.Unpriced > 0 {
		what += ", " + wording.Expense(core.CostOf(w.CostUSD, w.Unpriced))
	}
	if text != "" { // often a worker's: it must not read like a line of this page
		what += ". What came back: " + plain.Code(text, maxTold)
	}
	if w.Request != "" {
		what += ". Pull request: " + plain.Code(w.Request, maxInline)
	}
	if w.Merge != nil {
		what += mergeLine(w.Merge)
	}
	if w.Summary != "" {
		what += ". The worker's own words, unverified: " + plain.Code(plain.Line(w.Summary, maxTold), maxTold)
	}
	return what
}

// mergeLine says how a merge went.
func mergeLine(n *core.MergeNote) string {
	var text string
	if n.Conflicts {
		text = ". Conflicts: both sides changed " + names(n.Files, n.More)
		if len(n.Resolved) > 0 {
			text += ", which an agent resolved"
		}
	}
	if len(n.Failed) > 0 {
		text += ". At first the merged tree failed " + names(n.Failed, 0)
	}
	switch n.Build {
	case core.VerdictPassed:
		text += ". The merged tree passes every check"
	case core.VerdictFailed:
		text += ". The merged tree fails the checks"
	case core.VerdictNone:
	}
	if n.Words != "" {
		text += ". The words of the agent that tried to repair it, unverified: " + plain.Code(plain.Line(n.Words, maxTold/2), maxTold/2)
	}
	return text
}

func names(list []string, more int) string {
	var quoted []string
	for _, name := range list {
		quoted = append(quoted, plain.Code(plain.Line(name, maxInline), maxInline))
	}
	text := strings.Join(quoted, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func deedLine(d core.Deed) string {
	text := string(d.Tool)
	if d.Subject != "" && d.Tool != core.ToolPlan {
		text += " " + d.Subject
	}
	text += ": " + plain.Line(d.Text, maxInline)
	if d.Refused != "" {
		text += " (refused: " + plain.Line(d.Refused, maxInline) + ")"
	}
	return text
}

func lineLine(s *core.Stage) string {
	state := "nothing verified"
	if s.Line != "" {
		state = "verified at `" + short(s.Line) + "`"
	}
	if s.Conflict != nil {
		state += ", merge refused"
	}
	return plain.Code(s.ID, maxInline) + " (" + plain.Code(s.Branch, maxInline) + "): " + plain.Line(s.Title, maxInline) + "; " + state
}

func changeBlock(c core.Changes) string {
	return "From " + plain.Code(source(&c), maxInline) + ":\n\n" + plain.Fence(plain.Head(c.Text, maxTold))
}

func answerLine(a core.Answer) string {
	by := ""
	if a.Default {
		by = " (the default: nobody answered in time)"
	}
	return plain.Line(a.Question.Text, maxInline) + " — " + plain.Line(a.Text, maxTold/2) + by
}

// delegations are what is under way and what ended last.
func delegations(r *core.Run) (open, ended []string) {
	for _, d := range slices.Backward(r.Managing.Delegations) {
		text := plain.Code(d.ID, maxInline) + " " + string(d.Status) + ": " + plain.Line(d.Proposal.Name(), maxInline)
		switch {
		case !d.Status.Over():
			open = append(open, text)
		case len(ended) < maxEnded:
			if d.Reason != "" {
				text += " (" + plain.Line(d.Reason, maxInline) + ")"
			}
			ended = append(ended, text)
		}
	}
	slices.Reverse(open)
	return open[:min(len(open), maxOpen)], ended
}

// inside says where something was said, where that is not the first conversation.
func inside(conversation string) string {
	if conversation == "" {
		return ""
	}
	return " in conversation " + plain.Code(conversation, maxInline)
}

// spokenIn are the conversations that a turn is about: those that woke it, or the
// one that its run was begun in.
func spokenIn(r *core.Run, turn *core.Turn) []string {
	if spoke := turn.Spoke(); len(spoke) > 0 {
		return spoke
	}
	return []string{r.Conversation}
}

// heard is what was said in the conversations that a turn is about.
func heard(r *core.Run, turn *core.Turn) []core.Message {
	in := spokenIn(r, turn)
	return slices.DeleteFunc(slices.Clone(r.Talk), func(m core.Message) bool { return !slices.Contains(in, m.Conversation) })
}

// conversations are the conversations beside the project's first that a turn is about.
func conversations(r *core.Run, turn *core.Turn) []string {
	var all []string
	for _, c := range spokenIn(r, turn) {
		if c != "" {
			all = append(all, c)
		}
	}
	return all
}

// talk is the newest of the conversation that fits.
func talk(messages []core.Message) []string {
	var out []string
	left := maxTalk
	for _, m := range slices.Backward(newest(messages, maxMessages)) {
		text := "**" + string(m.Voice) + "**, " + m.At.UTC().Format("2 Jan 15:04") + inside(m.Conversation) + ":\n\n" + plain.Fence(plain.Head(m.Text, maxTold))
		if left -= len(text); left < 0 {
			break
		}
		out = append(out, text)
	}
	slices.Reverse(out)
	return out
}

func spent(r *core.Run) string {
	return fmt.Sprintf("%d attempts, cost %s, %d tokens", r.Attempts, wording.Cost(r.Cost()), r.Usage.Tokens())
}

func limits(r *core.Run) string {
	text := fmt.Sprintf("%d agents at once, %d attempts for each piece of work, %s in all", r.Limits.Parallel, r.Playbook.Project.Attempts, duration(r.Limits.WallTime))
	if r.Limits.CostUSD > 0 {
		text += ", " + core.Money(r.Limits.CostUSD)
	}
	if r.Limits.Tokens > 0 {
		text += fmt.Sprintf(", %d tokens", r.Limits.Tokens)
	}
	if of := wording.AttemptLimits(r.Limits.Attempt); of != "" {
		text += ", " + of
	}
	return text
}

// checks are what all work is held to, in a line.
func checks(r *core.Run) string {
	var commands []string
	for _, c := range r.Playbook.Project.Done.Of {
		if c.Kind == core.CheckCommand {
			commands = append(commands, plain.Code(c.Run, maxInline))
		}
	}
	return strings.Join(commands, ", ")
}

// delegates are the roles that work can be given to.
func delegates(r *core.Run) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.Playbook.Roles)) {
		if name != r.Playbook.Project.Roles[core.KindManage] {
			names = append(names, plain.Code(name, maxInline))
		}
	}
	return strings.Join(names, ", ")
}
