package core

import (
	"bytes"
	"encoding/json"
)

// Version is the current version of a type's body. Bodies of older versions
// are read through upcast and never rewritten.
func Version(t Type) int {
	switch t {
	case TypeRunPaused, TypeAllowanceReserved, TypeEpicRefused, TypeMergeGranted:
		return 2
	default:
		return 1
	}
}

// Decode reads an event's body. A type or version this program does not know
// is refused: a history is never half understood.
func Decode(e Event) (Body, error) {
	if e.V < 1 || e.V > Version(e.Type) {
		return nil, Errorf(CodeUnsupported, "event %s: %s version %d is not known to this version of stellwerk", e.ID, e.Type, e.V).
			WithHint("use the version of stellwerk that wrote it, or a newer one")
	}
	raw := upcast(e.Type, e.V, e.Body)
	switch e.Type {
	case TypeRunStarted:
		return decode[RunStarted](e, raw)
	case TypeConditionRequested:
		return decode[ConditionRequested](e, raw)
	case TypeConditionEvaluated:
		return decode[ConditionEvaluated](e, raw)
	case TypeStageOpened:
		return decode[StageOpened](e, raw)
	case TypeTeamReduced:
		return decode[TeamReduced](e, raw)
	case TypeTaskAdmitted:
		return decode[TaskAdmitted](e, raw)
	case TypeAttemptRequested:
		return decode[AttemptRequested](e, raw)
	case TypeClaimRefused:
		return decode[ClaimRefused](e, raw)
	case TypeClaimFreed:
		return decode[ClaimFreed](e, raw)
	case TypeAttemptStarted:
		return decode[AttemptStarted](e, raw)
	case TypeAttemptStopRequested:
		return decode[AttemptStopRequested](e, raw)
	case TypeUsageObserved:
		return decode[UsageObserved](e, raw)
	case TypeProjectSpent:
		return decode[ProjectSpent](e, raw)
	case TypeAllowanceReserved:
		return decode[AllowanceReserved](e, raw)
	case TypeAttemptExited:
		return decode[AttemptExited](e, raw)
	case TypeVerifyRequested:
		return decode[VerifyRequested](e, raw)
	case TypeVerifyConcluded:
		return decode[VerifyConcluded](e, raw)
	case TypeBranchMoved:
		return decode[BranchMoved](e, raw)
	case TypeApprovalRequested:
		return decode[ApprovalRequested](e, raw)
	case TypeApprovalGranted:
		return decode[ApprovalGranted](e, raw)
	case TypeFeedbackGiven:
		return decode[FeedbackGiven](e, raw)
	case TypeRolledBack:
		return decode[RolledBack](e, raw)
	case TypeRefKept:
		return decode[RefKept](e, raw)
	case TypeStagePassed:
		return decode[StagePassed](e, raw)
	case TypeStageSkipped:
		return decode[StageSkipped](e, raw)
	case TypeAttemptsReset:
		return decode[AttemptsReset](e, raw)
	case TypeTargetChosen:
		return decode[TargetChosen](e, raw)
	case TypeSessionTook:
		return decode[SessionTook](e, raw)
	case TypeWordGiven:
		return decode[WordGiven](e, raw)
	case TypePublishPrepared:
		return decode[PublishPrepared](e, raw)
	case TypePublishRequested:
		return decode[PublishRequested](e, raw)
	case TypePublishConcluded:
		return decode[PublishConcluded](e, raw)
	case TypeRunPaused:
		return decode[RunPaused](e, raw)
	case TypeRunResumed:
		return decode[RunResumed](e, raw)
	case TypeRunCompleted:
		return decode[RunCompleted](e, raw)
	case TypeRunFailed:
		return decode[RunFailed](e, raw)
	case TypeRunCancelled:
		return decode[RunCancelled](e, raw)
	case TypeTimerFired:
		return decode[TimerFired](e, raw)
	case TypeCommandRefused:
		return decode[CommandRefused](e, raw)
	case TypeRunSwept:
		return decode[RunSwept](e, raw)
	case TypePersonNotified:
		return decode[PersonNotified](e, raw)
	case TypePlanRead:
		return decode[PlanRead](e, raw)
	case TypePlanWriteRequested:
		return decode[PlanWriteRequested](e, raw)
	case TypePlanUpdated:
		return decode[PlanUpdated](e, raw)
	case TypeMergeConcluded:
		return decode[MergeConcluded](e, raw)
	case TypeStageDiscarded:
		return decode[StageDiscarded](e, raw)
	case TypeChangesRequested:
		return decode[ChangesRequested](e, raw)
	case TypeReviewAwaited:
		return decode[ReviewAwaited](e, raw)
	case TypeMergeGranted:
		return decode[MergeGranted](e, raw)
	case TypeMergeFailed:
		return decode[MergeFailed](e, raw)
	case TypePullRequestSeen:
		return decode[PullRequestSeen](e, raw)
	case TypeMessageSent:
		return decode[MessageSent](e, raw)
	case TypeQuestionAsked:
		return decode[QuestionAsked](e, raw)
	case TypeQuestionAnswered:
		return decode[QuestionAnswered](e, raw)
	case TypeTaskProposed:
		return decode[TaskProposed](e, raw)
	case TypeTaskRefused:
		return decode[TaskRefused](e, raw)
	case TypeTaskFailed:
		return decode[TaskFailed](e, raw)
	case TypePlanProposed:
		return decode[PlanProposed](e, raw)
	case TypeDetailFetched:
		return decode[DetailFetched](e, raw)
	case TypeToolRefused:
		return decode[ToolRefused](e, raw)
	case TypeValidateConcluded:
		return decode[ValidateConcluded](e, raw)
	case TypePlaybookSwapped:
		return decode[PlaybookSwapped](e, raw)
	case TypeWaveOpened:
		return decode[WaveOpened](e, raw)
	case TypeWaveClosed:
		return decode[WaveClosed](e, raw)
	case TypeBriefAdmitted:
		return decode[BriefAdmitted](e, raw)
	case TypeBriefRefused:
		return decode[BriefRefused](e, raw)
	case TypeBriefEnded:
		return decode[BriefEnded](e, raw)
	case TypeCourseRefused:
		return decode[CourseRefused](e, raw)
	case TypeProjectRegistered:
		return decode[ProjectRegistered](e, raw)
	case TypeContentTrusted:
		return decode[ContentTrusted](e, raw)
	case TypeProjectNamed:
		return decode[ProjectNamed](e, raw)
	case TypePlaybookChosen:
		return decode[PlaybookChosen](e, raw)
	case TypeProjectPaused:
		return decode[ProjectPaused](e, raw)
	case TypeProjectResumed:
		return decode[ProjectResumed](e, raw)
	case TypeProjectArchived:
		return decode[ProjectArchived](e, raw)
	case TypeConversationOpened:
		return decode[ConversationOpened](e, raw)
	case TypeConversationNamed:
		return decode[ConversationNamed](e, raw)
	case TypeEpicQueued:
		return decode[EpicQueued](e, raw)
	case TypeEpicTaken:
		return decode[EpicTaken](e, raw)
	case TypeEpicPostponed:
		return decode[EpicPostponed](e, raw)
	case TypeEpicRefused:
		return decode[EpicRefused](e, raw)
	case TypeEpicRequeued:
		return decode[EpicRequeued](e, raw)
	case TypeEpicDropped:
		return decode[EpicDropped](e, raw)
	default:
		return nil, Errorf(CodeUnsupported, "event %s: unknown type %q", e.ID, e.Type).
			WithHint("use the version of stellwerk that wrote it, or a newer one")
	}
}

func decode[B Body](e Event, raw json.RawMessage) (Body, error) {
	var body B
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		return nil, Errorf(CodeInvalid, "event %s: body of %s: %w", e.ID, e.Type, err)
	}
	return body, nil
}

func (RunStarted) Type() Type           { return TypeRunStarted }
func (ConditionRequested) Type() Type   { return TypeConditionRequested }
func (ConditionEvaluated) Type() Type   { return TypeConditionEvaluated }
func (StageOpened) Type() Type          { return TypeStageOpened }
func (TeamReduced) Type() Type          { return TypeTeamReduced }
func (TaskAdmitted) Type() Type         { return TypeTaskAdmitted }
func (AttemptRequested) Type() Type     { return TypeAttemptRequested }
func (ClaimRefused) Type() Type         { return TypeClaimRefused }
func (ClaimFreed) Type() Type           { return TypeClaimFreed }
func (AttemptStarted) Type() Type       { return TypeAttemptStarted }
func (AttemptStopRequested) Type() Type { return TypeAttemptStopRequested }
func (UsageObserved) Type() Type        { return TypeUsageObserved }
func (AttemptExited) Type() Type        { return TypeAttemptExited }
func (VerifyRequested) Type() Type      { return TypeVerifyRequested }
func (VerifyConcluded) Type() Type      { return TypeVerifyConcluded }
func (BranchMoved) Type() Type          { return TypeBranchMoved }
func (ApprovalRequested) Type() Type    { return TypeApprovalRequested }
func (ApprovalGranted) Type() Type      { return TypeApprovalGranted }
func (FeedbackGiven) Type() Type        { return TypeFeedbackGiven }
func (RolledBack) Type() Type           { return TypeRolledBack }
func (RefKept) Type() Type              { return TypeRefKept }
func (StagePassed) Type() Type          { return TypeStagePassed }
func (StageSkipped) Type() Type         { return TypeStageSkipped }
func (AttemptsReset) Type() Type        { return TypeAttemptsReset }
func (TargetChosen) Type() Type         { return TypeTargetChosen }
func (SessionTook) Type() Type          { return TypeSessionTook }
func (WordGiven) Type() Type            { return TypeWordGiven }
func (PublishPrepared) Type() Type      { return TypePublishPrepared }
func (PublishRequested) Type() Type     { return TypePublishRequested }
func (PublishConcluded) Type() Type     { return TypePublishConcluded }
func (RunPaused) Type() Type            { return TypeRunPaused }
func (RunResumed) Type() Type           { return TypeRunResumed }
func (RunCompleted) Type() Type         { return TypeRunCompleted }
func (RunFailed) Type() Type            { return TypeRunFailed }
func (RunCancelled) Type() Type         { return TypeRunCancelled }
func (TimerFired) Type() Type           { return TypeTimerFired }
func (CommandRefused) Type() Type       { return TypeCommandRefused }
func (RunSwept) Type() Type             { return TypeRunSwept }
func (PersonNotified) Type() Type       { return TypePersonNotified }
func (ProjectRegistered) Type() Type    { return TypeProjectRegistered }
func (ContentTrusted) Type() Type       { return TypeContentTrusted }

func (RunStarted) sealed()           {}
func (ConditionRequested) sealed()   {}
func (ConditionEvaluated) sealed()   {}
func (StageOpened) sealed()          {}
func (TeamReduced) sealed()          {}
func (TaskAdmitted) sealed()         {}
func (AttemptRequested) sealed()     {}
func (ClaimRefused) sealed()         {}
func (ClaimFreed) sealed()           {}
func (AttemptStarted) sealed()       {}
func (AttemptStopRequested) sealed() {}
func (UsageObserved) sealed()        {}
func (AttemptExited) sealed()        {}
func (VerifyRequested) sealed()      {}
func (VerifyConcluded) sealed()      {}
func (BranchMoved) sealed()          {}
func (ApprovalRequested) sealed()    {}
func (ApprovalGranted) sealed()      {}
func (FeedbackGiven) sealed()        {}
func (RolledBack) sealed()           {}
func (RefKept) sealed()              {}
func (StagePassed) sealed()          {}
func (StageSkipped) sealed()         {}
func (AttemptsReset) sealed()        {}
func (TargetChosen) sealed()         {}
func (SessionTook) sealed()          {}
func (WordGiven) sealed()            {}
func (PublishPrepared) sealed()      {}
func (PublishRequested) sealed()     {}
func (PublishConcluded) sealed()     {}
func (RunPaused) sealed()            {}
func (RunResumed) sealed()           {}
func (RunCompleted) sealed()         {}
func (RunFailed) sealed()            {}
func (RunCancelled) sealed()         {}
func (TimerFired) sealed()           {}
func (CommandRefused) sealed()       {}
func (RunSwept) sealed()             {}
func (PersonNotified) sealed()       {}
func (ProjectRegistered) sealed()    {}
func (ContentTrusted) sealed()       {}
