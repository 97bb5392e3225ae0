package core

import (
	"cmp"
	"slices"
	"strings"
)

// LawVersion is recorded on decisions. It changes when the law does.
const LawVersion = 12

// Law judges one event before it is committed: whether this actor may say it,
// whether the state machines allow it now, and whether a clause forbids it. r
// is the state before the event, nil before the first. An error means that the
// event must not be committed, whoever wants it.
func Law(r *Run, actor Actor, body Body) error {
	if err := actorMay(actor, body); err != nil {
		return err
	}
	started, first := body.(RunStarted)
	if first != (r == nil) {
		if first {
			return unlawful("a run starts once")
		}
		return unlawful("%s before the run started", TypeOf(body))
	}
	if r == nil {
		return lawStart(actor, started)
	}
	if _, allowed := RunNext(r.Status, TypeOf(body)); !allowed {
		return Errorf(CodeConflict, "%s is not possible now: the run is %s", inWords(TypeOf(body)), r.Status.InWords()).
			Offer(r.Choices(VerbStatus)...)
	}
	if err := stageLaw(r, body); err != nil {
		return err
	}
	if err := lawSession(r, actor, body); err != nil {
		return err
	}
	return clause(r, actor, body)
}

// spoken names what somebody wants to happen, for messages that people meet.
var spoken = map[Type]string{
	TypeApprovalGranted:  "an approval",
	TypeTargetChosen:     "another target",
	TypeFeedbackGiven:    "feedback",
	TypeRolledBack:       "a rollback",
	TypeStageSkipped:     "skipping",
	TypeAttemptsReset:    "a retry",
	TypeRunPaused:        "a pause",
	TypeRunResumed:       "resuming",
	TypeRunCancelled:     "cancelling",
	TypeMessageSent:      "a message",
	TypeQuestionAsked:    "a question",
	TypeQuestionAnswered: "an answer",
	TypeTaskProposed:     "a delegation",
	TypePlanProposed:     "a change of the plan",
	TypeDetailFetched:    "a look at a detail",
	TypePlaybookSwapped:  "another playbook",
	TypeMergeGranted:     "a merge",
}

func inWords(t Type) string { return cmp.Or(spoken[t], string(t)) }

// actors says who may utter an event. An agent speaks, asks and proposes; what
// it says about its own work is never among them.
func actors(t Type) []ActorKind {
	switch t {
	case TypeContentTrusted, TypeWordGiven, TypeMergeGranted, TypePlaybookChosen, TypeProjectPaused, TypeProjectResumed, TypeProjectArchived,
		TypeProjectErased, TypeEpicQueued, TypeEpicRequeued, TypeEpicDropped, TypeConversationOpened, TypeConversationNamed:
		return []ActorKind{ActorPerson}
	case TypeProjectNamed:
		return []ActorKind{ActorPerson, ActorEngine}
	case TypeEpicTaken, TypeEpicPostponed, TypeEpicRefused:
		return []ActorKind{ActorEngine}
	case TypeFeedbackGiven, TypeTargetChosen, TypeRunCancelled, TypeAttemptsReset, TypeSessionTook:
		return []ActorKind{ActorPerson, ActorSession}
	case TypeApprovalGranted, TypeRunStarted, TypeRunResumed: // an epic's turn has come, its project goes on
		return []ActorKind{ActorPerson, ActorPolicy, ActorSession}
	case TypeRolledBack, TypeStageSkipped:
		return []ActorKind{ActorPerson, ActorDecider, ActorSession}
	case TypeRunPaused:
		return []ActorKind{ActorPerson, ActorDecider, ActorEngine, ActorSession}
	case TypeChangesRequested:
		return []ActorKind{ActorPerson, ActorEngine}
	case TypeMessageSent, TypeTaskProposed, TypePlanProposed:
		return []ActorKind{ActorPerson, ActorAgent}
	case TypeQuestionAsked: // by a decider for who answers in writing
		return []ActorKind{ActorPerson, ActorAgent, ActorDecider}
	case TypeQuestionAnswered:
		return []ActorKind{ActorPerson, ActorDecider}
	case TypeDetailFetched: // a person's reading leaves no trace
		return []ActorKind{ActorAgent}
	case TypePlaybookSwapped:
		return []ActorKind{ActorPerson}
	case TypeWaveOpened, TypeWaveClosed, TypeBriefAdmitted, TypeBriefRefused, TypeBriefEnded, TypeCourseRefused:
		return []ActorKind{ActorDecider}
	case TypePlanWriteRequested, TypeStageDiscarded, TypeReviewAwaited, TypeTaskRefused, TypeTaskFailed,
		TypeConditionRequested, TypeStageOpened, TypeTaskAdmitted, TypeTeamReduced, TypeAttemptRequested, TypeAttemptStopRequested,
		TypeAllowanceReserved, TypeVerifyRequested, TypeApprovalRequested, TypeStagePassed, TypePublishRequested, TypeRunCompleted, TypeRunFailed:
		return []ActorKind{ActorDecider}
	case TypePlanRead, TypePlanUpdated, TypeMergeConcluded, TypeMergeFailed, TypePullRequestSeen, TypeToolRefused, TypeValidateConcluded,
		TypeConditionEvaluated, TypeClaimRefused, TypeClaimFreed, TypeAttemptStarted, TypeAttemptExited, TypeUsageObserved, TypeProjectSpent,
		TypeVerifyConcluded, TypeBranchMoved, TypeRefKept, TypePublishPrepared,
		TypePublishConcluded, TypeTimerFired, TypeCommandRefused, TypePersonNotified, TypeRunSwept, TypeProjectRegistered:
		return []ActorKind{ActorEngine}
	}
	return nil
}

func actorMay(actor Actor, body Body) error {
	if slices.Contains(actors(TypeOf(body)), actor.Kind) {
		return nil
	}
	return Errorf(CodeForbidden, "%s is not for %s to say", TypeOf(body), nameOf(actor)).
		WithHint("approvals, feedback and steering are a person's: run the command outside an attempt")
}

func nameOf(a Actor) string {
	if a.ID == "" {
		return "the " + string(a.Kind)
	}
	return string(a.Kind) + " " + a.ID
}

// stageLaw checks the stage machine for events that name a stage.
func stageLaw(r *Run, body Body) error {
	named, names := body.(interface{ stage() string })
	if !names {
		return nil
	}
	id := named.stage()
	s := r.Stage(id)
	if s == nil && r.Managed() && TypeOf(body) == TypeStageOpened {
		return nil
	}
	if s == nil {
		return noStage(r, id)
	}
	if _, allowed := StageNext(s.Status, TypeOf(body)); !allowed {
		return Errorf(CodeConflict, "%s is not possible now: stage %s is %s", inWords(TypeOf(body)), s.ID, s.Status).
			Offer(r.Choices(VerbStatus)...)
	}
	return nil
}

func (b ConditionRequested) stage() string { return b.Stage }
func (b ConditionEvaluated) stage() string { return b.Stage }
func (b StageOpened) stage() string        { return b.Stage }
func (b TaskAdmitted) stage() string       { return b.Stage }
func (b TeamReduced) stage() string        { return b.Stage }
func (b StageDiscarded) stage() string     { return b.Stage }
func (b FeedbackGiven) stage() string      { return b.Stage }
func (b StagePassed) stage() string        { return b.Stage }
func (b StageSkipped) stage() string       { return b.Stage }
func (b AttemptsReset) stage() string      { return b.Stage }
func (b ApprovalRequested) stage() string  { return b.Subject.Stage }
func (b ApprovalGranted) stage() string    { return b.Subject.Stage }

// noStage refuses the name of a stage that the run does not have, and tells which it has.
func noStage(r *Run, id string) error {
	ids := make([]string, 0, len(r.Stages))
	for _, s := range r.Stages {
		ids = append(ids, s.ID)
	}
	return Errorf(CodeNotFound, "the run has no stage %q", id).WithHint("its stages are: %s", strings.Join(ids, ", "))
}

func unlawful(format string, args ...any) *Error { return Errorf(CodeUnlawful, format, args...) }

// clause applies the numbered laws of docs/law.md to the events they concern.
func clause(r *Run, actor Actor, body Body) error {
	switch b := body.(type) {
	case ConditionEvaluated:
		if !r.Stage(b.Stage).Asked {
			return Errorf(CodeConflict, "stage %s does not ask for its condition", b.Stage)
		}
	case StageOpened:
		return lawOpen(r, b)
	case TaskAdmitted:
		return lawAdmit(r, b)
	case TeamReduced:
		return lawReduce(r, b)
	case AttemptRequested:
		return lawAttempt(r, b)
	case AttemptStarted:
		return lawAttemptStep(r, TypeOf(body), b.Attempt)
	case AttemptStopRequested:
		return lawAttemptStep(r, TypeOf(body), b.Attempt)
	case UsageObserved:
		return lawAttemptStep(r, TypeAttemptStopRequested, b.Attempt)
	case AllowanceReserved:
		return lawReserve(r, b)
	case AttemptExited:
		return lawAttemptStep(r, TypeOf(body), b.Attempt)
	case VerifyRequested:
		return lawVerify(r, b)
	case VerifyConcluded:
		return lawVerdict(r, b)
	case ApprovalRequested:
		return lawAsk(r, b)
	case ApprovalGranted:
		return lawApprove(r, actor, b)
	case StagePassed:
		return lawPass(r, b)
	case StageSkipped:
		return lawSkip(r, actor, b)
	case FeedbackGiven:
		return lawFeedback(r, b)
	case RolledBack:
		return lawRollback(r, actor, b)
	case AttemptsReset:
		return lawStageIdle(r, r.Stage(b.Stage), "the attempts cannot be reset")
	case TargetChosen:
		return lawTarget(r, b)
	case PlanRead, PlanUpdated, PlanWriteRequested, MergeConcluded, StageDiscarded, ChangesRequested, ReviewAwaited:
		return lawManaged(r, body)
	case MergeGranted:
		return lawGrant(r, b)
	case MergeFailed:
		if !r.IsMerging() || b.Merge != r.PullRequest.Grant.Merge {
			return Errorf(CodeConflict, "that merge is not under way")
		}
	case PullRequestSeen:
		return lawSeen(r, b)
	case MessageSent, QuestionAsked, QuestionAnswered, TaskProposed, TaskRefused, TaskFailed, PlanProposed, ToolRefused, DetailFetched, ValidateConcluded, PlaybookSwapped:
		return lawManager(r, actor, body)
	case WaveOpened, WaveClosed, BriefAdmitted, BriefRefused, BriefEnded, CourseRefused:
		return lawWave(r, body)
	case PublishPrepared:
		return lawTaskIs(r, b.Task, TaskVerifying)
	case PublishRequested:
		return lawPublish(r, b)
	case PublishConcluded:
		return lawTaskIs(r, b.Task, TaskRunning)
	case RunPaused:
		return lawPause(r, b)
	case RunResumed:
		return lawResume(r, actor, b)
	case RunCancelled:
		if r.Publishing() {
			return Errorf(CodeConflict, "the run is being published, which is a matter of seconds").WithHint("try again in a moment")
		}
		if r.IsMerging() {
			return Errorf(CodeConflict, "the run is being merged, which is a matter of seconds").WithHint("try again in a moment")
		}
	case RunCompleted:
		if s := r.Current(); s != nil {
			return unlawful("stage %s has not passed", s.ID)
		}
		if r.Drives() {
			return lawDone(r)
		}
		if r.ByWaves() {
			return lawWavesDone(r)
		}
	case RunSwept:
		if !r.Status.Terminal() || len(r.Active()) > 0 || r.Swept {
			return Errorf(CodeConflict, "the run is not over, or was swept before")
		}
	case WordGiven:
		if b.Session == "" || b.Session != r.Session {
			return Errorf(CodeConflict, "session %s does not own the run", b.Session)
		}
	case SessionTook:
		if b.Session != "" && r.Managed() {
			return noProject()
		}
	case RefKept, BranchMoved, RunStarted, ConditionRequested, ClaimRefused, ClaimFreed,
		RunFailed, TimerFired, CommandRefused, PersonNotified, ProjectSpent,
		ProjectRegistered, ContentTrusted:
	case ProjectNamed, PlaybookChosen, ProjectPaused, ProjectResumed, ProjectArchived, ProjectErased,
		EpicQueued, EpicTaken, EpicPostponed, EpicRefused, EpicRequeued, EpicDropped, ConversationOpened, ConversationNamed: // LawProject judges them
	}
	return nil
}
