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
// leads where the rows say is held by a test over random histories.

func runEdges() []edge[RunStatus] {
	open := []RunStatus{StatusActive, StatusAwaiting, StatusPaused}
	active := []RunStatus{StatusActive}
	return []edge[RunStatus]{
		{TypeRunStarted, []RunStatus{""}, StatusActive},
		{TypeConditionRequested, active, ""},
		{TypeStageOpened, active, ""},
		{TypeTaskAdmitted, active, ""},
		{TypeAttemptRequested, active, ""},
		{TypeVerifyRequested, active, ""},
		{TypePublishRequested, active, ""},
		{TypeStagePassed, active, ""},
		{TypeClaimRefused, active, ""},
		{TypeApprovalRequested, active, StatusAwaiting},
		{TypeApprovalGranted, []RunStatus{StatusAwaiting}, StatusActive},
		{TypeApprovalLapsed, []RunStatus{StatusActive, StatusAwaiting}, StatusActive},
		{TypeTargetChosen, []RunStatus{StatusAwaiting}, StatusActive},
		{TypeFeedbackGiven, open, StatusActive},
		{TypeRolledBack, open, StatusActive},
		{TypeStageSkipped, open, StatusActive},
		{TypeAttemptsReset, []RunStatus{StatusActive, StatusPaused}, StatusActive},
		{TypeRunPaused, []RunStatus{StatusActive, StatusAwaiting}, StatusPaused},
		{TypeRunResumed, []RunStatus{StatusPaused}, ""}, // to what the pause interrupted
		{TypeRunCompleted, active, StatusCompleted},
		{TypeRunFailed, open, StatusFailed},
		{TypeRunCancelled, open, StatusCancelled},
	}
}

func attemptEdges() []edge[AttemptStatus] {
	return []edge[AttemptStatus]{
		{TypeAttemptRequested, []AttemptStatus{""}, AttemptPending},
		{TypeAttemptStarted, []AttemptStatus{AttemptPending}, AttemptRunning},
		{TypeAttemptStarted, []AttemptStatus{AttemptStopping}, ""}, // a stop asked for meanwhile stands
		{TypeAttemptStopRequested, []AttemptStatus{AttemptPending, AttemptRunning}, AttemptStopping},
		{TypeAttemptExited, []AttemptStatus{AttemptPending, AttemptRunning, AttemptStopping}, AttemptEnded},
	}
}

func stageEdges() []edge[StageStatus] {
	return []edge[StageStatus]{
		{TypeConditionRequested, []StageStatus{StagePending, StageStale}, ""},
		{TypeConditionEvaluated, []StageStatus{StagePending, StageStale}, ""},
		{TypeStageOpened, []StageStatus{StagePending, StageStale}, StageOpen},
		{TypeTaskAdmitted, []StageStatus{StageOpen}, ""},
		{TypeApprovalRequested, []StageStatus{StageOpen}, StageGated},
		{TypeApprovalGranted, []StageStatus{StageGated}, ""},
		{TypeApprovalLapsed, []StageStatus{StageGated}, StageOpen},
		{TypeFeedbackGiven, []StageStatus{StageOpen, StageGated}, StageStale},
		{TypeStagePassed, []StageStatus{StageOpen, StageGated}, StageDone},
		{TypeStageSkipped, []StageStatus{StagePending, StageStale, StageOpen, StageGated}, StageOmitted},
	}
}

// RunNext is where an event leads a run, and whether it may happen at all.
func RunNext(from RunStatus, on Type) (to RunStatus, allowed bool) {
	to, allowed, _ = step(runEdges(), on, from)
	return to, allowed
}

// StageNext is where an event leads the stage it names.
func StageNext(from StageStatus, on Type) (to StageStatus, allowed bool) {
	to, allowed, _ = step(stageEdges(), on, from)
	return to, allowed
}

// AttemptNext is where an event leads the attempt it names.
func AttemptNext(from AttemptStatus, on Type) (to AttemptStatus, allowed bool) {
	to, allowed, _ = step(attemptEdges(), on, from)
	return to, allowed
}

// step finds the row of an event. known is false where the machine has no row
// for it: the event does not concern the machine.
func step[S ~string](table []edge[S], on Type, from S) (to S, allowed, known bool) {
	for _, e := range table {
		if e.on != on {
			continue
		}
		known = true
		if !slices.Contains(e.from, from) {
			continue
		}
		if e.to == "" {
			return from, true, true
		}
		return e.to, true, true
	}
	return from, !known, known
}
