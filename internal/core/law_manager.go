package core

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// The codes of a refusal, for who reads it by machine.
const (
	RefusedNoPlan     = "no_plan"
	RefusedDuplicate  = "duplicate"
	RefusedRole       = "unknown_role"
	RefusedInput      = "missing_input"
	RefusedLine       = "line"
	RefusedDependency = "dependency"
	RefusedUnfinished = "unfinished"
	RefusedKind       = "kind"
)

// mayUse: an agent speaks only while its attempt runs, within bounds, by the
// tools that its role is left, and but for messages only the manager does.
func mayUse(r *Run, actor Actor, tool Tool) error {
	if !r.Managed() {
		return Errorf(CodeUnsupported, "this run is not driven by a manager: it has no conversation").
			WithHint("speak to it with `stellwerk feedback %s \"…\"`", r.Alias)
	}
	if actor.Kind != ActorAgent {
		return nil
	}
	_, t, a := r.Attempt(actor.ID)
	switch {
	case a == nil || !a.Status.Active():
		return Errorf(CodeForbidden, "attempt %s is over", actor.ID)
	case t.Kind != KindManage && tool != ToolMessage:
		return Errorf(CodeForbidden, "only the manager may do that").
			WithHint("say what you need in your summary: the manager reads it and decides")
	case !r.Playbook.Roles[t.Role].Grants(tool):
		return Errorf(CodeForbidden, "the role %s does not list the tool %s", t.Role, tool.Command()).
			WithHint("go on without it, or add it to the role's tools")
	case t.Kind != KindManage && a.Said >= MaxMessages, t.Kind == KindManage && tool == ToolMessage && r.Manager().Turn.sent() >= MaxMessages:
		return Errorf(CodeConflict, "%d messages were sent already, which is all that can be", MaxMessages).
			WithHint("put the rest into one message next time; now go on without")
	case t.Kind == KindManage && r.Manager().Turn != nil && r.Manager().Turn.Calls >= MaxDeeds:
		return Errorf(CodeConflict, "this turn has called its tools %d times, which is all that it can", MaxDeeds).
			WithHint("end the turn: you are woken when something has happened")
	}
	return nil
}

// lawTool: a call is carried out once, for who may use the tool.
func lawTool(r *Run, actor Actor, tool Tool, call string) error {
	if err := mayUse(r, actor, tool); err != nil {
		return err
	}
	return lawCall(r, tool, call)
}

func (t *Turn) sent() int {
	if t == nil {
		return 0
	}
	n := 0
	for _, d := range t.Deeds {
		if d.Tool == ToolMessage && d.Refused == "" {
			n++
		}
	}
	return n
}

// lawManager judges what only a run that a manager drives knows.
func lawManager(r *Run, actor Actor, body Body) error {
	switch b := body.(type) {
	case MessageSent:
		return lawMessage(r, actor, b)
	case QuestionAsked:
		return lawQuestion(r, actor, b)
	case QuestionAnswered:
		return lawAnswer(r, actor, b)
	case TaskProposed:
		if err := lawTool(r, actor, ToolDelegate, b.Call); err != nil {
			return err
		}
		if err := lawVoice(r, actor, b.Proposal.Voice); err != nil {
			return err
		}
		return lawPropose(r, b)
	case TaskRefused:
		if d := r.Delegation(b.Delegation); d == nil || d.Status != DelegationWaiting {
			return unlawful("delegation %s does not wait for a decision", b.Delegation)
		}
	case TaskFailed:
		t := r.Task(b.Task)
		if t == nil || t.Status != TaskWaiting && t.Status != TaskDropped {
			return unlawful("task %s is not to be given up", b.Task)
		}
	case PlanProposed:
		if err := lawTool(r, actor, ToolPlan, b.Call); err != nil {
			return err
		}
		if err := lawVoice(r, actor, b.Voice); err != nil {
			return err
		}
		return lawDraft(r, b)
	case DetailFetched:
		return lawFetch(r, actor, b)
	case ToolRefused:
		switch _, _, a := r.Attempt(b.Attempt); {
		case a == nil:
			return Errorf(CodeConflict, "attempt %s is not of a current round", b.Attempt)
		case a.Refused >= MaxDeeds:
			return Errorf(CodeConflict, "%d refusals of attempt %s are recorded, which is enough", MaxDeeds, b.Attempt)
		}
	case ValidateConcluded:
		return lawLooked(r, b)
	case PlaybookSwapped:
		return lawSwap(r, b)
	default:
	}
	return nil
}

func lawMessage(r *Run, actor Actor, b MessageSent) error {
	if err := lawTool(r, actor, ToolMessage, b.Call); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(b.Text) == "":
		return Errorf(CodeInvalid, "a message needs words")
	case len(b.Text) > MaxMessage:
		return Errorf(CodeInvalid, "the message has %d bytes, at most %d are possible", len(b.Text), MaxMessage).
			WithHint("say it shorter, or put it into a document")
	case actor.Kind == ActorPerson && !r.ByManager():
		return Errorf(CodeUnsupported, "run %s is driven by rules: nobody would read the message", r.Alias).
			WithHint("say what is to change with `stellwerk feedback %s \"…\"`", r.Alias)
	}
	if b.Voice == "" {
		return Errorf(CodeInvalid, "a message needs a voice")
	}
	if err := lawSpokenIn(r, b.Conversation); err != nil {
		return err
	}
	return lawVoice(r, actor, b.Voice)
}

// lawVoice: nobody speaks another's part. Without a voice it is the actor's own.
func lawVoice(r *Run, actor Actor, voice Voice) error {
	if voice == "" || slices.Contains(voices(r, actor), voice) {
		return nil
	}
	return Errorf(CodeForbidden, "%s does not speak as %.40s", nameOf(actor), voice).
		WithHint("leave out --role, or name one of your own: people are user and blue, the manager is green, workers are red")
}

// lawFetch: an agent reads what its run in waves knows while its attempt runs, and
// each look is on record.
func lawFetch(r *Run, actor Actor, b DetailFetched) error {
	_, t, a := r.Attempt(actor.ID)
	switch {
	case !r.ByWaves():
		return Errorf(CodeInvalid, "run %s has no details: only runs in waves have", r.Alias)
	case a == nil || !a.Status.Active():
		return Errorf(CodeForbidden, "attempt %s is over", actor.ID)
	case !r.Playbook.Roles[t.Role].Grants(ToolDetail):
		return Errorf(CodeForbidden, "the role %s does not list the tool %s", t.Role, ToolDetail.Command()).
			WithHint("go on without it, or add it to the role's tools")
	case a.Fetched >= MaxFetched:
		return Errorf(CodeConflict, "%d details were read, which is all that an attempt can", MaxFetched).WithHint("go on with what you have")
	}
	return lawVoice(r, actor, b.Voice)
}

// voices are those that an actor may speak with.
func voices(r *Run, actor Actor) []Voice {
	if actor.Kind != ActorAgent {
		return []Voice{VoiceUser, VoiceBlue}
	}
	if _, t, _ := r.Attempt(actor.ID); t != nil && (t.Kind == KindManage || t.Kind == KindWave) {
		return []Voice{VoiceGreen}
	}
	return []Voice{VoiceRed}
}

// lawQuestion is law 9: a question is asked once.
func lawQuestion(r *Run, actor Actor, b QuestionAsked) error {
	if err := lawTool(r, actor, ToolQuestion, b.Call); err != nil {
		return err
	}
	if err := errors.Join(lawVoice(r, actor, b.Voice), lawSpokenIn(r, b.Conversation)); err != nil {
		return err
	}
	if !r.ByManager() && !r.ByWaves() {
		return Errorf(CodeUnsupported, "run %s is driven by rules: nobody would read the answer", r.Alias)
	}
	if r.ByWaves() != (actor.Kind == ActorDecider) {
		return Errorf(CodeForbidden, "a question is not for %s to say", nameOf(actor)) // in waves it stands in what is handed in
	}
	if r.ByWaves() && !r.MayAsk(b.Blocking, 0) {
		return unlawful("question %s: too many are open", b.ID)
	}
	if strings.TrimSpace(b.Text) == "" || len(b.Text) > MaxMessage {
		return Errorf(CodeInvalid, "a question has between one and %d bytes", MaxMessage)
	}
	if b.ID != QuestionID(r.asking(), b.Text) {
		return unlawful("question %q does not have the identity of its words", b.ID)
	}
	if len(b.Default) > MaxMessage {
		return Errorf(CodeInvalid, "the default answer has %d bytes, at most %d are possible", len(b.Default), MaxMessage)
	}
	if b.Default != "" && strings.TrimSpace(b.Default) == "" { // it could never be given
		return Errorf(CodeInvalid, "a default answer needs words")
	}
	if b.Default != "" && b.After <= 0 {
		return Errorf(CodeInvalid, "a default answer needs a time after which it holds").WithHint("--default TEXT --after 2h")
	}
	if a := r.Answered(b.ID); a != nil {
		return Errorf(CodeConflict, "this was asked before, and the answer was: %s", a.Text).WithHint("go on with that answer")
	}
	if r.Question(b.ID) != nil {
		return Errorf(CodeConflict, "this is asked already and waits for an answer").WithHint("end the turn: the answer wakes you")
	}
	return nil
}

// lawAnswer: a person answers, or the default does once its time has come.
func lawAnswer(r *Run, actor Actor, b QuestionAnswered) error {
	q := r.Question(b.ID)
	if q == nil {
		if a := r.Answered(b.ID); a != nil {
			return Errorf(CodeConflict, "question %s was answered before: %s", b.ID, a.Text).WithHint("%s", r.Differently())
		}
		return Errorf(CodeNotFound, "run %s has no question %s", r.Alias, b.ID).WithHint("see `stellwerk inbox`")
	}
	switch {
	case strings.TrimSpace(b.Text) == "":
		return Errorf(CodeInvalid, "an answer needs words")
	case len(b.Text) > MaxMessage:
		return Errorf(CodeInvalid, "the answer has %d bytes, at most %d are possible", len(b.Text), MaxMessage)
	case (b.Default || b.Planner) != (actor.Kind == ActorDecider), b.Default && b.Planner:
		return unlawful("question %s: a default or a planner's word is not a person's answer", b.ID)
	case b.Planner && (!r.ByWaves() || q.From == ""):
		return unlawful("question %s is not for a planner to answer", b.ID)
	case b.Default && (q.Default == "" || b.Text != q.Default || r.Now().Before(q.Due)):
		return unlawful("question %s: its default does not hold yet", b.ID)
	}
	return nil
}

func lawPropose(r *Run, b TaskProposed) error {
	p := b.Proposal
	switch {
	case !r.ByManager():
		return Errorf(CodeUnsupported, "run %s is driven by rules: its work is what the plan says", r.Alias)
	case b.Delegation != DelegationID(r.Delegated+1):
		return Errorf(CodeConflict, "%s is not the next delegation", b.Delegation)
	case strings.TrimSpace(p.Prompt) == "" && !p.Kind.EngineAct():
		return Errorf(CodeInvalid, "work needs a prompt that says what is to be done")
	case len(p.Prompt) > MaxPrompt:
		return Errorf(CodeInvalid, "the prompt has %d bytes, at most %d are possible", len(p.Prompt), MaxPrompt).
			WithHint("put the details into .ai/*.md and name the file")
	case len(p.Inputs)+len(p.Outputs)+len(p.Checks)+len(p.After) > MaxNames:
		return Errorf(CodeInvalid, "a delegation names at most %d inputs, outputs, checks and dependencies", MaxNames)
	}
	words := append(slices.Concat(p.Checks, p.After), p.Title, p.Line, p.Role, string(p.Kind))
	if strings.ContainsRune(p.Prompt+strings.Join(words, ""), 0) {
		return Errorf(CodeInvalid, "a delegation has a zero byte in it, which no program could be given")
	}
	for _, word := range words {
		if len(word) > MaxWord {
			return Errorf(CodeInvalid, "%q … is too long: titles, names and checks have at most %d bytes", word[:40], MaxWord).
				WithHint("put what it needs to say into the prompt, or a script into the repository")
		}
	}
	for _, name := range slices.Concat(p.Inputs, p.Outputs) {
		if !documentName(name) {
			return Errorf(CodeInvalid, "%q cannot be the name of a document", name).WithHint("use letters, digits, dots, dashes and underscores: analysis.md")
		}
		if ReservedName(name) {
			return Errorf(CodeInvalid, "%q is the name of a document that Stellwerk itself lays out or reads", name).WithHint("choose another")
		}
	}
	return nil
}

// ReservedName reports a name under which an attempt is given or hands in something
// else than a document of the project.
func ReservedName(name string) bool {
	switch name = strings.ToLower(name); name {
	case "goal.md", "hotfix.md", "evidence.md", "answers.md", "report.json":
		return true
	}
	return strings.HasSuffix(name, ".schema.json")
}

func documentName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '-' && c != '_') {
			return false
		}
	}
	return name != "" && len(name) <= 80
}

// Bounds of a proposal.
const (
	MaxPrompt = 64 << 10
	MaxNames  = 64
	MaxWord   = 2 << 10
)

// EngineAct reports a kind of work that the engine does itself.
func (k TaskKind) EngineAct() bool {
	return k == KindMerge || k == KindPR || k == KindValidate || k == KindDiscard
}

// lawDraft is law 6 with one change at a time, each made from what is there.
func lawDraft(r *Run, b PlanProposed) error {
	switch {
	case r.Plan == nil:
		return Errorf(CodeConflict, "the plan is being read").WithHint("try again in a moment")
	case r.Draft != nil || r.PlanWrite != nil:
		return Errorf(CodeConflict, "another change of the plan is being committed").WithHint("try again in a moment")
	case b.Base != r.Plan.Digest:
		return Errorf(CodeConflict, "the plan was changed since you read it").
			WithHint("look at it as it is now (`update-plan --show`, which is `stellwerk tool plan --show`) and put your change into that")
	case len(b.Files) == 0:
		return Errorf(CodeInvalid, "nothing of the plan is different").WithHint("edit .ai/plan.md first")
	case strings.TrimSpace(b.Message) == "":
		return Errorf(CodeInvalid, "a change of the plan needs a message").WithHint(`update-plan "what was changed"`)
	case len(b.Message) > MaxWord || strings.ContainsRune(b.Message, 0):
		return Errorf(CodeInvalid, "the message of the change has %d bytes, at most %d are possible, and no zero byte", len(b.Message), MaxWord).
			WithHint("say in a line what was changed")
	}
	for _, f := range b.Files { // what git would not take would be tried for ever
		if !planDocument(f.Name) {
			return Errorf(CodeInvalid, "%.90q is none of the plan's documents", f.Name).
				WithHint("they are right in .ai and called with letters, digits, spaces, dots, dashes and underscores: context.md")
		}
	}
	return nil
}

// planDocument reports a name that a document right in .ai can have: one that git
// takes everywhere, and that shows as what it is.
func planDocument(file string) bool {
	name, markdown := strings.CutSuffix(file, ".md")
	odd := func(c rune) bool {
		return !unicode.In(c, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(" .-_", c)
	}
	return markdown && name != "" && len(name) <= 100 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, odd)
}

// lawSwap: a project changes hands with nothing under way.
func lawSwap(r *Run, b PlaybookSwapped) error {
	switch {
	case !r.Drives() || !b.Playbook.Drives():
		return Errorf(CodeInvalid, "only playbooks that drive a project can take one another's place").
			WithHint("those of kind rules and manager")
	case r.Gated() != nil:
		return Errorf(CodeConflict, "stage %s waits for an approval", r.Gated().ID).WithHint("decide about that first")
	case r.Busy() != "" || len(r.Active()) > 0 || r.UnderWay():
		return Errorf(CodeConflict, "something is under way: a project changes hands with nothing running").
			WithHint("pause it (`stellwerk pause %s`) and wait until its agents have ended", r.Alias)
	case slices.ContainsFunc(r.Delegations, func(d *Delegation) bool { return !d.Status.Over() }):
		return Errorf(CodeConflict, "delegated work waits to be begun, and nobody else would know of it").
			WithHint("let the manager end what it waits for first")
	case b.Playbook.Project.Attempts > r.Limits.Attempts:
		return Errorf(CodeInvalid, "the playbook wants %d attempts, the run allows %d", b.Playbook.Project.Attempts, r.Limits.Attempts)
	}
	if b.Playbook.Project.Roles[KindManage] != "" {
		return nil
	}
	if len(r.Questions) > 0 {
		return Errorf(CodeConflict, "the manager asked something, and the rules would not read the answer: %s", r.Questions[0].Text).
			WithHint("answer it first: `stellwerk answer %s \"…\"`", r.Questions[0].ID)
	}
	for _, s := range r.Stages { // the rules know the plan's steps and nothing else
		step, named := strings.CutPrefix(s.ID, stepPrefix)
		if s.Branch != "" && s.Merged == "" && s.Wish == nil && !s.Status.Closed() && (!named || r.Plan.Step(step) == nil) {
			return Errorf(CodeConflict, "the branch %s is neither merged nor given up, and the rules would not know what to do with it", s.Branch).
				WithHint("let the manager end it first")
		}
	}
	return nil
}
