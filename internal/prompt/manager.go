package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Bounds of a manager's prompt, so that it does not grow with the project.
const (
	maxPlanText  = 6 << 10
	maxTalk      = 6 << 10
	maxMessages  = 8
	maxWakes     = 12
	maxOpen      = 20
	maxEnded     = 6
	maxAnswered  = 8
	maxQuestions = 10
)

// answersFile holds all answers.
const answersFile = "answers.md"

// Desk is what a manager's prompt depends on apart from its run.
type Desk struct {
	Paths  Paths
	Plan   []byte // .ai/plan.md; nil if there is none
	Inline bool   // the agent takes no system prompt: the role's text goes into this one
}

// managerView is what the template of a manager's prompt sees. Its texts are ready to be shown.
type managerView struct {
	Title, Base, Branch, Goal, Role, Work     string
	Spent, Limits, PullRequest, Checks, Roles string
	Plan, PlanTrouble                         string
	Round, Missed, Said                       int
	PlanCut, AnswersCut, Inline, Closed       bool
	Wakes, Deeds, Open, Lines, Ended          []string
	Changes, Questions, Answers, Talk         []string
	Conversations                             []string // shown conversations other than the first
	Timeout                                   time.Duration
}

// BuildManager writes the prompt of a manager's turn.
func BuildManager(r *core.Run, attempt string, desk Desk) ([]byte, error) {
	stage, task, a := r.Attempt(attempt)
	if a == nil || stage.Turn == nil {
		return nil, core.Errorf(core.CodeNotFound, "run %s has no turn %s", r.Alias, attempt)
	}
	p := newPage(desk.Paths)
	return p.whole("manager", seen(p, r, stage, task, desk))
}

// ManagerFiles are the files in the manager's input folder.
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

func seen(p *page, r *core.Run, stage *core.Stage, task *core.Task, desk Desk) managerView {
	v := managerView{
		Title: r.Title, Base: r.Base, Branch: r.Branch, Goal: plain.Head(r.Goal, maxGoal), Role: role(r.Playbook, task.Role).Prompt,
		Work: desk.Paths.Work, Inline: desk.Inline, Closed: closed(r), Round: stage.Round, Missed: stage.Turn.Missed + max(len(stage.Turn.Wakes)-maxWakes, 0), Said: r.Said,
		Spent: spent(r), Limits: limits(r), Checks: checks(r), Roles: codes(roleNames(r, r.Playbook.Project.Roles[core.KindManage])), Timeout: task.Timeout,
		Wakes: lines(stage.Turn.Wakes, maxWakes, p.wakeLine), Deeds: lines(stage.Turn.Deeds, maxOpen, deedLine),
		Lines: lines(r.OpenLines(), maxOpen, lineLine), Changes: lines(r.Driving.Changes, 5, changeBlock),
		Questions: lines(r.Questions, maxQuestions, func(q core.Question) string { return plain.Line(q.ID+": "+q.Text, maxTold) }),
		Talk:      talk(heard(r, stage.Turn)), Conversations: conversations(r, stage.Turn),
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

// wakeLine says why the manager was woken.
func (p *page) wakeLine(w core.Wake) string {
	text := plain.Line(w.Text, maxTold)
	switch w.Kind {
	case core.WakeEpic:
		return strings.TrimSpace("The project begins. " + text)
	case core.WakeTask:
		return p.part("ended", w)
	case core.WakeMessage:
		return "A person wrote" + inside(w.Conversation) + ": " + text
	case core.WakeAnswer:
		return "Your question " + code(w.Subject) + " was answered: " + text
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
	return code(s.ID) + " (" + code(s.Branch) + "): " + plain.Line(s.Title, maxInline) + "; " + state
}

func changeBlock(c core.Changes) string {
	return "From " + code(source(&c)) + ":\n\n" + plain.Fence(plain.Head(c.Text, maxTold))
}

func answerLine(a core.Answer) string {
	by := ""
	if a.Default {
		by = " (the default: nobody answered in time)"
	}
	return plain.Line(a.Question.Text, maxInline) + " — " + plain.Line(a.Text, maxTold/2) + by
}

// delegations are those under way and those that ended last.
func delegations(r *core.Run) (open, ended []string) {
	for _, d := range slices.Backward(r.Managing.Delegations) {
		text := code(d.ID) + " " + string(d.Status) + ": " + plain.Line(d.Proposal.Name(), maxInline)
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

// inside names a conversation other than the first.
func inside(conversation string) string {
	if conversation == "" {
		return ""
	}
	return " in conversation " + code(conversation)
}

// spokenIn are the conversations that a turn is about: those that woke it, or the one that its run was started in.
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

// conversations are the conversations that a turn is about, without the project's first.
func conversations(r *core.Run, turn *core.Turn) []string {
	var all []string
	for _, c := range spokenIn(r, turn) {
		if c != "" {
			all = append(all, c)
		}
	}
	return all
}

// talk is as much of the newest messages as fits.
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

// checks are the commands that all work must pass, in a line.
func checks(r *core.Run) string {
	var commands []string
	for _, c := range r.Playbook.Project.Done.Of {
		if c.Kind == core.CheckCommand {
			commands = append(commands, c.Run)
		}
	}
	return codes(commands)
}

// roleNames are the playbook's roles in alphabetical order, without one of them.
func roleNames(r *core.Run, without string) []string {
	names := slices.Sorted(maps.Keys(r.Playbook.Roles))
	return slices.DeleteFunc(names, func(name string) bool { return name == without })
}
