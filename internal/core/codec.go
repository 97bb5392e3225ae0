package core

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Decode reads an event's body. What this program does not know, a type, a
// version or a field, is refused as ErrUnreadable: a history is never half
// understood. What was erased is refused as ErrErased.
func Decode(e Event) (Body, error) {
	if e.Erased() {
		return nil, erased(e)
	}
	kind, known := bodies[e.Type]
	if !known {
		return nil, unreadable(e, "has the unknown type %.80q", e.Type)
	}
	if newest := FormOf(e.Type).Reads; e.V > newest {
		return nil, unreadable(e, "is %s of version %d, and this one reads up to version %d", e.Type, e.V, newest)
	}
	if e.V < 1 {
		return nil, Errorf(CodeInvalid, "event %s: %s has no version %d", e.ID, e.Type, e.V)
	}
	body := reflect.New(kind)
	dec := json.NewDecoder(bytes.NewReader(upcast(e.Type, e.V, e.Body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(body.Interface()); err != nil {
		return nil, misread(e, reflect.New(kind).Interface(), err)
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
	ProjectNamed{}, PlaybookChosen{}, ProjectPaused{}, ProjectResumed{}, ProjectArchived{}, ProjectErased{}, ConversationOpened{},
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
