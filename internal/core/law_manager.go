package core

import (
	"slices"
	"strings"
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
			WithHint("speak to it").Offer(r.Choices(VerbFeedback)...)
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
		return lawPlanProposed(r, b)
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

// lawVoice: nobody speaks another's part. Without a voice it is the actor's own.
func lawVoice(r *Run, actor Actor, voice Voice) error {
	if voice == "" || slices.Contains(voices(r, actor), voice) {
		return nil
	}
	return Errorf(CodeForbidden, "%s does not speak as %.40s", nameOf(actor), voice).
		WithHint("leave the role out, or name one of your own: people are user and blue, the manager is green, workers are red")
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
			WithHint("pause it and wait until its agents have ended").Offer(r.Choices(VerbPause)...)
	case slices.ContainsFunc(r.Managing.Delegations, func(d *Delegation) bool { return !d.Status.Over() }):
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
			WithHint("answer it first").Offer(r.Questions[0].Ask().Choices...)
	}
	for _, s := range r.Stages { // the rules know the plan's steps and nothing else
		step, named := strings.CutPrefix(s.ID, stepPrefix)
		if s.Branch != "" && s.Merged == "" && s.Wish == nil && !s.Status.Closed() && (!named || r.Driving.Plan.Step(step) == nil) {
			return Errorf(CodeConflict, "the branch %s is neither merged nor given up, and the rules would not know what to do with it", s.Branch).
				WithHint("let the manager end it first")
		}
	}
	return nil
}
