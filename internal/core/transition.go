package core

import "slices"

// edge is one row of a state machine: an event, the states it may happen in,
// and the state it leads to. An empty `to` leaves the state as it is.
type edge[S ~string] struct {
	on   Type
	from []S
	to   S
}

// The tables below are the state machines; docs/state-machines.md draws them.
// Law refuses an event whose rows do not list the present state; that Fold
// leads where the rows say is held by a test over random histories. They are
// constants in all but name: nothing writes them.

var runEdges = []edge[RunStatus]{
	{TypeRunStarted, []RunStatus{""}, StatusActive},
	{TypeConditionRequested, []RunStatus{StatusActive}, ""},
	{TypeStageOpened, []RunStatus{StatusActive}, ""},
	{TypeStageOpened, []RunStatus{StatusReview}, StatusActive},
	{TypeTaskAdmitted, []RunStatus{StatusActive}, ""},
	{TypeTeamReduced, []RunStatus{StatusActive}, ""},
	{TypeAttemptRequested, []RunStatus{StatusActive}, ""},
	{TypeVerifyRequested, []RunStatus{StatusActive}, ""},
	{TypePublishRequested, []RunStatus{StatusActive}, ""},
	{TypeStagePassed, []RunStatus{StatusActive}, ""},
	{TypeClaimRefused, []RunStatus{StatusActive}, ""},
	{TypeApprovalRequested, []RunStatus{StatusActive}, StatusAwaiting},
	{TypeApprovalGranted, []RunStatus{StatusAwaiting}, StatusActive},
	{TypeTargetChosen, []RunStatus{StatusAwaiting}, StatusActive},
	{TypeFeedbackGiven, []RunStatus{StatusActive, StatusAwaiting, StatusPaused}, StatusActive},
	{TypeRolledBack, []RunStatus{StatusActive, StatusAwaiting, StatusPaused}, StatusActive},
	{TypeStageSkipped, []RunStatus{StatusActive, StatusAwaiting, StatusPaused}, StatusActive},
	{TypeAttemptsReset, []RunStatus{StatusActive, StatusPaused}, StatusActive},
	{TypeSessionTook, []RunStatus{StatusActive, StatusAwaiting, StatusPaused}, ""},
	{TypeWordGiven, []RunStatus{StatusActive, StatusAwaiting, StatusPaused}, ""},
	{TypePlanRead, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""},
	{TypePlanWriteRequested, []RunStatus{StatusActive}, ""},
	{TypePlanWriteRequested, []RunStatus{StatusReview}, StatusActive}, // what is published is then not all there is
	{TypePlanUpdated, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""},
	{TypeStageDiscarded, []RunStatus{StatusActive}, ""},
	{TypeChangesRequested, []RunStatus{StatusActive, StatusPaused, StatusReview}, ""},
	{TypeChangesRequested, []RunStatus{StatusAwaiting}, StatusActive},
	{TypeMessageSent, []RunStatus{StatusActive, StatusPaused, StatusReview}, ""},
	{TypeMessageSent, []RunStatus{StatusAwaiting}, ""}, // what was about to be published is taken back if a manager reads it
	{TypeQuestionAsked, []RunStatus{StatusActive, StatusPaused}, ""},
	{TypeQuestionAnswered, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""}, // to what a wait for it interrupted
	{TypeTaskProposed, []RunStatus{StatusActive, StatusReview}, ""},
	{TypeTaskRefused, []RunStatus{StatusActive, StatusReview}, ""},
	{TypeTaskFailed, []RunStatus{StatusActive}, ""},
	{TypePlanProposed, []RunStatus{StatusActive, StatusReview}, ""},
	{TypeToolRefused, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""},
	{TypeDetailFetched, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""},
	{TypeValidateConcluded, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, ""},
	{TypePlaybookSwapped, []RunStatus{StatusActive, StatusPaused, StatusReview}, ""},
	{TypeWaveOpened, []RunStatus{StatusActive}, ""},
	{TypeWaveClosed, []RunStatus{StatusActive}, ""},
	{TypeBriefAdmitted, []RunStatus{StatusActive}, ""},
	{TypeBriefRefused, []RunStatus{StatusActive}, ""},
	{TypeBriefEnded, []RunStatus{StatusActive}, ""},
	{TypeCourseRefused, []RunStatus{StatusActive}, ""},
	{TypeReviewAwaited, []RunStatus{StatusActive}, StatusReview},
	{TypeMergeGranted, []RunStatus{StatusReview, StatusCompleted}, ""}, // one that did not wait for it is over
	{TypeMergeFailed, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview, StatusCompleted}, ""},
	{TypePullRequestSeen, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview, StatusCompleted}, ""},
	{TypeRunPaused, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, StatusPaused},
	{TypeRunResumed, []RunStatus{StatusPaused}, ""}, // to what the pause interrupted
	{TypeRunCompleted, []RunStatus{StatusActive, StatusReview}, StatusCompleted},
	{TypeRunFailed, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, StatusFailed},
	{TypeRunCancelled, []RunStatus{StatusActive, StatusAwaiting, StatusPaused, StatusReview}, StatusCancelled},
}

var attemptEdges = []edge[AttemptStatus]{
	{TypeAttemptRequested, []AttemptStatus{""}, AttemptPending},
	{TypeAttemptStarted, []AttemptStatus{AttemptPending}, AttemptRunning},
	{TypeAttemptStarted, []AttemptStatus{AttemptStopping}, ""}, // a stop asked for meanwhile stands
	{TypeAttemptStopRequested, []AttemptStatus{AttemptPending, AttemptRunning}, AttemptStopping},
	{TypeAttemptExited, []AttemptStatus{AttemptPending, AttemptRunning, AttemptStopping}, AttemptEnded},
}

var stageEdges = []edge[StageStatus]{
	{TypeConditionRequested, []StageStatus{StagePending, StageStale}, ""},
	{TypeConditionEvaluated, []StageStatus{StagePending, StageStale}, ""},
	{TypeStageOpened, []StageStatus{StagePending, StageStale, StageDone, StageOmitted}, StageOpen}, // closed ones in a managed run only
	{TypeTaskAdmitted, []StageStatus{StageOpen}, ""},
	{TypeTeamReduced, []StageStatus{StageOpen}, ""},
	{TypeApprovalRequested, []StageStatus{StageOpen}, StageGated},
	{TypeApprovalGranted, []StageStatus{StageGated}, ""},
	{TypeFeedbackGiven, []StageStatus{StageOpen, StageGated}, StageStale},
	{TypeAttemptsReset, []StageStatus{StageOpen}, ""},
	{TypeStagePassed, []StageStatus{StageOpen, StageGated}, StageDone},
	{TypeStageSkipped, []StageStatus{StagePending, StageStale, StageOpen, StageGated}, StageOmitted},
	{TypeStageDiscarded, []StageStatus{StageOpen}, ""}, // stale or skipped, as it says
}

// RunNext is where an event leads a run, and whether it may happen at all.
func RunNext(from RunStatus, on Type) (to RunStatus, allowed bool) {
	return step(runEdges, on, from)
}

// StageNext is where an event leads the stage it names.
func StageNext(from StageStatus, on Type) (to StageStatus, allowed bool) {
	return step(stageEdges, on, from)
}

// AttemptNext is where an event leads the attempt it names.
func AttemptNext(from AttemptStatus, on Type) (to AttemptStatus, allowed bool) {
	return step(attemptEdges, on, from)
}

// step finds the row of an event. An event without a row does not concern the
// machine: it is allowed and leads nowhere.
func step[S ~string](table []edge[S], on Type, from S) (to S, allowed bool) {
	known := false
	for i := range table {
		if table[i].on != on {
			continue
		}
		known = true
		if !slices.Contains(table[i].from, from) {
			continue
		}
		if table[i].to == "" {
			return from, true
		}
		return table[i].to, true
	}
	return from, !known
}
