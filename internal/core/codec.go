package core

import (
	"bytes"
	"encoding/json"
	"reflect"
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
	kind, known := bodies[e.Type]
	if !known {
		return nil, Errorf(CodeUnsupported, "event %s: unknown type %q", e.ID, e.Type).
			WithHint("use the version of stellwerk that wrote it, or a newer one")
	}
	body := reflect.New(kind)
	dec := json.NewDecoder(bytes.NewReader(upcast(e.Type, e.V, e.Body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(body.Interface()); err != nil {
		return nil, Errorf(CodeInvalid, "event %s: body of %s: %w", e.ID, e.Type, err)
	}
	return body.Elem().Interface().(Body), nil
}

// bodies has the form of every body, by the type of its event.
var bodies = byType(
	RunStarted{}, ConditionRequested{}, ConditionEvaluated{}, StageOpened{}, TeamReduced{}, TaskAdmitted{}, AttemptRequested{},
	ClaimRefused{}, ClaimFreed{}, AttemptStarted{}, AttemptStopRequested{}, UsageObserved{}, ProjectSpent{},
	AllowanceReserved{}, AttemptExited{}, VerifyRequested{}, VerifyConcluded{}, BranchMoved{}, ApprovalRequested{},
	ApprovalGranted{}, FeedbackGiven{}, RolledBack{}, RefKept{}, StagePassed{}, StageSkipped{}, AttemptsReset{},
	TargetChosen{}, SessionTook{}, WordGiven{}, PublishPrepared{}, PublishRequested{}, PublishConcluded{}, RunPaused{},
	RunResumed{}, RunCompleted{}, RunFailed{}, RunCancelled{}, TimerFired{}, CommandRefused{}, RunSwept{}, PersonNotified{},
	PlanRead{}, PlanWriteRequested{}, PlanUpdated{}, MergeConcluded{}, StageDiscarded{}, ChangesRequested{}, ReviewAwaited{},
	MergeGranted{}, MergeFailed{}, PullRequestSeen{}, MessageSent{}, QuestionAsked{}, QuestionAnswered{}, TaskProposed{}, TaskRefused{},
	TaskFailed{}, PlanProposed{}, DetailFetched{}, ToolRefused{}, ValidateConcluded{}, PlaybookSwapped{}, WaveOpened{},
	WaveClosed{}, BriefAdmitted{}, BriefRefused{}, BriefEnded{}, CourseRefused{}, ProjectRegistered{}, ContentTrusted{},
	ProjectNamed{}, PlaybookChosen{}, ProjectPaused{}, ProjectResumed{}, ProjectArchived{}, ConversationOpened{},
	ConversationNamed{}, EpicQueued{}, EpicTaken{}, EpicPostponed{}, EpicRefused{}, EpicRequeued{}, EpicDropped{},
)

func byType(all ...Body) map[Type]reflect.Type {
	forms := make(map[Type]reflect.Type, len(all))
	for _, body := range all {
		forms[TypeOf(body)] = reflect.TypeOf(body)
	}
	return forms
}

func (RunStarted) event() Type           { return TypeRunStarted }
func (ConditionRequested) event() Type   { return TypeConditionRequested }
func (ConditionEvaluated) event() Type   { return TypeConditionEvaluated }
func (StageOpened) event() Type          { return TypeStageOpened }
func (TeamReduced) event() Type          { return TypeTeamReduced }
func (TaskAdmitted) event() Type         { return TypeTaskAdmitted }
func (AttemptRequested) event() Type     { return TypeAttemptRequested }
func (ClaimRefused) event() Type         { return TypeClaimRefused }
func (ClaimFreed) event() Type           { return TypeClaimFreed }
func (AttemptStarted) event() Type       { return TypeAttemptStarted }
func (AttemptStopRequested) event() Type { return TypeAttemptStopRequested }
func (UsageObserved) event() Type        { return TypeUsageObserved }
func (AttemptExited) event() Type        { return TypeAttemptExited }
func (VerifyRequested) event() Type      { return TypeVerifyRequested }
func (VerifyConcluded) event() Type      { return TypeVerifyConcluded }
func (BranchMoved) event() Type          { return TypeBranchMoved }
func (ApprovalRequested) event() Type    { return TypeApprovalRequested }
func (ApprovalGranted) event() Type      { return TypeApprovalGranted }
func (FeedbackGiven) event() Type        { return TypeFeedbackGiven }
func (RolledBack) event() Type           { return TypeRolledBack }
func (RefKept) event() Type              { return TypeRefKept }
func (StagePassed) event() Type          { return TypeStagePassed }
func (StageSkipped) event() Type         { return TypeStageSkipped }
func (AttemptsReset) event() Type        { return TypeAttemptsReset }
func (TargetChosen) event() Type         { return TypeTargetChosen }
func (SessionTook) event() Type          { return TypeSessionTook }
func (WordGiven) event() Type            { return TypeWordGiven }
func (PublishPrepared) event() Type      { return TypePublishPrepared }
func (PublishRequested) event() Type     { return TypePublishRequested }
func (PublishConcluded) event() Type     { return TypePublishConcluded }
func (RunPaused) event() Type            { return TypeRunPaused }
func (RunResumed) event() Type           { return TypeRunResumed }
func (RunCompleted) event() Type         { return TypeRunCompleted }
func (RunFailed) event() Type            { return TypeRunFailed }
func (RunCancelled) event() Type         { return TypeRunCancelled }
func (TimerFired) event() Type           { return TypeTimerFired }
func (CommandRefused) event() Type       { return TypeCommandRefused }
func (RunSwept) event() Type             { return TypeRunSwept }
func (PersonNotified) event() Type       { return TypePersonNotified }
func (ProjectRegistered) event() Type    { return TypeProjectRegistered }
func (ContentTrusted) event() Type       { return TypeContentTrusted }
