package manager_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// once lets the world do one thing: an effect, a person's word, or time.
func (w *world) once() {
	w.now = w.now.Add(time.Minute)
	if due := core.Timers(w.run); len(due) > 0 && !w.now.Before(due[0]) && !w.luck("the timer is late", 2) {
		w.must(core.Engine(), core.TimerFired{Timer: "due"})
		return
	}
	effects := core.Effects(w.run)
	if w.run.Status != core.StatusReview && w.draw("look", 4) != 0 {
		effects = slices.DeleteFunc(effects, func(a core.Action) bool {
			_, watch := a.(core.WatchPullRequest)
			return watch
		})
	}
	switch {
	case w.luck("restart", 60):
		w.restart()
	case blocked(w.run) && !w.luck("the slot stays taken", 2):
		w.must(core.Engine(), core.ClaimFreed{Claim: slot()})
	case w.luck("another hand", 80):
		w.handOver()
	case w.meddle():
	case w.run.Pause != nil && (w.kind || w.draw("attend", 2) == 0):
		w.resume()
	case w.run.Status == core.StatusAwaiting && (len(effects) == 0 || w.kind):
		w.decide()
	case len(effects) > 0:
		w.answer(effects[w.draw("effect", len(effects))])
	case w.run.Pause != nil:
		w.resume()
	default:
		if due := core.Timers(w.run); len(due) > 0 {
			w.now = due[0]
		}
		w.must(core.Engine(), core.TimerFired{Timer: "due"})
	}
}

// meddle is what people may do at any moment.
func (w *world) meddle() bool {
	me := core.Person("me")
	var err error
	switch {
	case w.luck("a message", 12):
		err = w.try(me, core.MessageSent{Voice: core.VoiceUser, Text: fmt.Sprint("hello ", w.draw("word", 3))})
	case len(w.run.Questions) > 0 && w.luck("an answer", 6):
		err = w.try(me, core.QuestionAnswered{ID: w.run.Questions[w.draw("which", len(w.run.Questions))].ID, Text: "yes"})
	case w.wishes < 4 && w.luck("a wish", 25):
		w.wishes++
		err = w.try(me, core.ChangesRequested{ID: fmt.Sprint("here-", w.wishes), Text: "another colour"})
	case w.luck("a pause", 60):
		err = w.try(me, core.RunPaused{Code: core.PausePerson, Reason: "a person asked for it", Advice: core.Advice{Hint: "resume"}, Stop: w.luck("stop", 2)})
	case w.luck("a person delegates", 30):
		err = w.try(me, core.TaskProposed{Delegation: core.DelegationID(w.run.Managing.Delegated + 1), Proposal: w.proposal()})
	case w.luck("a person asks", 60):
		text := fmt.Sprint("Which colour, ", w.draw("question", 4), "?")
		err = w.try(me, core.QuestionAsked{ID: core.QuestionID("p", text), Text: text})
	case w.luck("a person plans", 40):
		err = w.try(me, w.planning())
	case w.luck("a skip", 30):
		if lines := w.run.OpenLines(); len(lines) > 0 {
			err = w.try(me, core.StageSkipped{Stage: lines[w.draw("line", len(lines))].ID, Source: core.SkipPerson})
		}
	case w.luck("an end", 500):
		err = w.try(me, core.RunCancelled{Reason: "enough"})
	case w.luck("a target", 20):
		err = w.try(me, core.TargetChosen{Base: "develop"})
	default:
		return false
	}
	return err == nil
}

// handOver is a person who lets the run come to rest and gives it to somebody
// else.
func (w *world) handOver() {
	me := core.Person("me")
	if w.run.Pause == nil && w.try(me, core.RunPaused{Code: core.PausePerson, Reason: "another is to drive it", Advice: core.Advice{Hint: "resume"}}) != nil {
		return
	}
	for range 40 {
		at := slices.IndexFunc(core.Effects(w.run), func(a core.Action) bool {
			switch a.(type) {
			case core.Notify, core.WatchPullRequest:
				return false
			default:
				return true
			}
		})
		if at < 0 {
			break
		}
		w.answer(core.Effects(w.run)[at])
	}
	kind := "manager"
	if w.run.ByManager() {
		kind = "rules"
	}
	if err := w.try(me, core.PlaybookSwapped{Playbook: playbook(kind)}); core.CodeOf(err) == core.CodeUnlawful {
		w.t.Fatalf("a person is told of the law: %v", err)
	}
}

// resume is a person who deals with a pause.
func (w *world) resume() {
	me, p := core.Person("me"), w.run.Pause
	switch p.Code {
	case core.PauseQuestion:
		w.must(me, core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "yes"})
	case core.PauseAttempts, core.PauseInfra:
		if w.luck("skip", 3) && w.try(me, core.StageSkipped{Stage: p.Stage, Source: core.SkipPerson}) == nil {
			return
		}
		if w.try(me, core.AttemptsReset{Stage: p.Stage}) == nil {
			return
		}
		effects := core.Effects(w.run) // something is under way
		if len(effects) == 0 {
			w.t.Fatalf("nobody can end the pause %+v\n%s", p, w.account())
		}
		w.answer(effects[0])
	default:
		w.must(me, core.RunResumed{})
	}
}

// decide is a person at a gate.
func (w *world) decide() {
	s := w.run.Gated()
	if s.ID == core.PlanStage && w.luck("feedback", 4) {
		w.must(core.Person("me"), core.FeedbackGiven{Stage: s.ID, Text: "other steps"})
		return
	}
	w.must(core.Person("me"), core.ApprovalGranted{Subject: s.Gate.Subject})
}

// tool is a call of one of the manager's tools; what is refused is recorded.
func (w *world) tool(attempt string, tool core.Tool, body core.Body) error {
	w.t.Helper()
	err := w.try(core.Actor{Kind: core.ActorAgent, ID: attempt}, body)
	switch core.CodeOf(err) {
	case "":
		return nil
	case core.CodeInternal:
		w.t.Fatalf("%s: %v", core.TypeOf(body), err)
	default:
	}
	if refused := w.try(core.Engine(), core.ToolRefused{Attempt: attempt, Tool: tool, Reason: err.Error()}); refused != nil && core.CodeOf(refused) != core.CodeConflict {
		w.t.Fatalf("a refusal cannot be recorded: %v", refused)
	}
	return err
}

// act is what a manager does that knows no measure.
func (w *world) act(attempt string) {
	if w.kind {
		w.manage(attempt)
		return
	}
	switch w.draw("tool", 16) {
	case 0:
		_ = w.tool(attempt, core.ToolMessage, core.MessageSent{Voice: core.VoiceGreen, Text: "I am at it"})
	case 1:
		if w.draw("ask", 3) == 0 {
			text := fmt.Sprint("Which colour, ", w.draw("question", 4), "?")
			q := core.QuestionAsked{ID: core.QuestionID("p", text), Text: text}
			if w.draw("default", 2) == 0 {
				q.Default, q.After = "blue", time.Duration(w.draw("after", 3))*time.Hour
			}
			_ = w.tool(attempt, core.ToolQuestion, q)
		}
	case 2:
		_ = w.tool(attempt, core.ToolPlan, w.planning())
	case 3:
		for range w.draw("flood", 10) / 9 * 120 {
			_ = w.tool(attempt, core.ToolMessage, core.MessageSent{Voice: core.VoiceGreen, Text: "again"})
		}
	case 4, 5:
		w.manage(attempt)
	default:
		if w.run.Driving.Plan != nil && w.run.Driving.Plan.Digest == "" && w.draw("plans first", 3) != 0 {
			_ = w.tool(attempt, core.ToolPlan, w.planning())
			return
		}
		_ = w.delegate(attempt, w.proposal())
	}
}

func (w *world) delegate(attempt string, p core.Proposal) error {
	return w.tool(attempt, core.ToolDelegate, core.TaskProposed{Delegation: core.DelegationID(w.run.Managing.Delegated + 1), Proposal: p})
}

// planning is a change of the plan, now and then of one that is not there.
func (w *world) planning() core.PlanProposed {
	digest := fmt.Sprint("draft", w.head.Seq)
	steps := []core.Step{{ID: "1", Title: "one", Done: w.kind || w.draw("done", 2) == 0}}
	if w.kind {
		for i := range w.run.Driving.Plan.Steps {
			step := w.run.Driving.Plan.Steps[i]
			step.Done = true
			steps = append(steps, step)
		}
		steps = slices.CompactFunc(steps, func(a, b core.Step) bool { return a.ID == b.ID })
	}
	w.drafts[digest] = steps
	body := core.PlanProposed{Files: []core.PlanFile{{Name: "plan.md", Digest: digest}}, Message: "steps"}
	if w.run.Driving.Plan != nil && !w.luck("stale", 5) {
		body.Base = w.run.Driving.Plan.Digest
	}
	return body
}

// proposal is any work that anybody could think of.
func (w *world) proposal() core.Proposal {
	pick := func(what string, of ...string) string { return of[w.draw(what, len(of))] }
	lines := []string{"", "", "", "api", "ui", "api"}
	for _, s := range w.run.OpenLines() {
		lines = append(lines, s.ID, s.ID, s.ID)
	}
	if w.luck("an odd line", 12) {
		lines = []string{"t1", "feature/x", "feature/x-api-1", "Bad Name", "manager"}
	}
	p := core.Proposal{
		Prompt: pick("prompt", "do it", "Do  it", "do something else", "more", "less", "other"), Line: pick("line", lines...),
		Kind: core.TaskKind(pick("kind", "", "", "", "code", "code", "review", "fix", "merge", "merge", "merge", "validate", "pr", "discard")),
	}
	if p.Kind == core.KindDiscard && w.draw("is kept", 3) != 0 {
		p.Kind = core.KindMerge
	}
	if open := w.run.OpenLines(); p.Kind != "" && p.Kind != core.KindCode && w.draw("a blunder", 6) != 0 {
		if len(open) == 0 {
			p.Kind, p.Line = core.KindWork, pick("new line", "", "api", "ui")
		} else {
			p.Line = open[w.draw("open line", len(open))].ID
		}
	}
	if w.luck("an odd role", 12) {
		p.Role = pick("role", "dev", "critic", "ghost", "boss")
	}
	if w.luck("an odd kind", 30) {
		p.Kind = core.TaskKind(pick("odd kind", "plan", "resolve", "manage", "bogus"))
	}
	if w.draw("input", 10) == 0 {
		p.Inputs = []string{pick("inputs", "notes.md", "notes.md", "nothing.md")}
	}
	if w.draw("output", 4) == 0 {
		p.Outputs = []string{"notes.md"}
	}
	if w.draw("check", 6) == 0 {
		p.Checks = []string{"true"}
	}
	for range max(0, w.draw("afters", 8)-5) {
		names := openNames(w.run)
		for _, d := range w.run.Managing.Delegations {
			if !d.Status.Over() {
				names = append(names, d.ID, d.ID)
			}
		}
		if w.luck("an odd dependency", 8) || len(names) == 0 {
			names = []string{"nowhere", core.DelegationID(w.run.Managing.Delegated + 1), "t1"}
		}
		p.After = append(p.After, pick("after", names...))
	}
	return p
}

func openNames(r *core.Run) []string {
	var names []string
	for _, s := range r.OpenLines() {
		names = append(names, s.ID)
	}
	return names
}

// manage is a turn of a manager that wants the project to end well.
func (w *world) manage(attempt string) {
	must := func(err error) {
		w.t.Helper()
		if err != nil && w.kind {
			w.t.Fatalf("the manager is refused: %v\n%s", err, w.account())
		}
	}
	r := w.run
	if r.Manager().Turn.Calls >= core.MaxDeeds-10 {
		return // an attempt before it has used them up
	}
	if r.Driving.Plan.Digest == "" || r.Driving.Plan.Trouble != "" || slices.ContainsFunc(r.Driving.Plan.Steps, func(s core.Step) bool { return !s.Done }) {
		if r.Managing.PlanProposed == nil && r.Driving.PlanWrite == nil {
			must(w.tool(attempt, core.ToolPlan, w.planning()))
		}
		return
	}
	for _, s := range r.OpenLines() {
		if w.run.OpenOn(s.ID) == nil {
			kind := core.KindDiscard
			if s.Line != "" && w.draw("merge or not", 2) == 0 {
				kind = core.KindMerge
			}
			_ = w.delegate(attempt, core.Proposal{Kind: kind, Line: s.ID}) // a merge may be objected to
		}
	}
	pr := w.run.PullRequest
	idle := !slices.ContainsFunc(w.run.Managing.Delegations, func(d *core.Delegation) bool { return !d.Status.Over() })
	if idle && len(w.run.OpenLines()) == 0 && w.run.Managing.PlanProposed == nil && w.run.Driving.PlanWrite == nil && (pr == nil || pr.Commit != w.run.Verified) {
		must(w.delegate(attempt, core.Proposal{Kind: core.KindPR}))
		if d := w.run.Delegation(core.DelegationID(w.run.Managing.Delegated)); w.kind && d.Status == core.DelegationRefused {
			w.t.Fatalf("the pull request is refused: %s\n%s", d.Reason, w.account())
		}
	}
	if spoken := r.Manager().Turn; slices.ContainsFunc(spoken.Wakes, func(wake core.Wake) bool {
		return wake.Kind == core.WakeMessage || wake.Kind == core.WakeChanges
	}) {
		_ = w.tool(attempt, core.ToolMessage, core.MessageSent{Voice: core.VoiceGreen, Text: "it is done"})
	}
}
