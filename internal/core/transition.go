package core

// edge is one row of a state machine: an event, the states it may happen in,
// and the state it leads to. An empty `to` leaves the state as it is. Rows hold
// no slices, so that a table costs no allocation: one is read at every step.
type edge[S ~string] struct {
	on   Type
	from [4]S // the unused places at the end are empty
	to   S
}

// The tables below are the state machines; docs/state-machines.md draws them.
// Law refuses an event whose rows do not list the present state; that Fold
// leads where the rows say is held by a test over random histories.

func runEdges() [22]edge[RunStatus] {
	open := [4]RunStatus{StatusActive, StatusAwaiting, StatusPaused}
	active := [4]RunStatus{StatusActive}
	return [22]edge[RunStatus]{
		{TypeRunStarted, [4]RunStatus{""}, StatusActive},
		{TypeConditionRequested, active, ""},
		{TypeStageOpened, active, ""},
		{TypeTaskAdmitted, active, ""},
		{TypeAttemptRequested, active, ""},
		{TypeVerifyRequested, active, ""},
		{TypePublishRequested, active, ""},
		{TypeStagePassed, active, ""},
		{TypeClaimRefused, active, ""},
		{TypeApprovalRequested, active, StatusAwaiting},
		{TypeApprovalGranted, [4]RunStatus{StatusAwaiting}, StatusActive},
		{TypeApprovalLapsed, [4]RunStatus{StatusActive, StatusAwaiting}, StatusActive},
		{TypeTargetChosen, [4]RunStatus{StatusAwaiting}, StatusActive},
		{TypeFeedbackGiven, open, StatusActive},
		{TypeRolledBack, open, StatusActive},
		{TypeStageSkipped, open, StatusActive},
		{TypeAttemptsReset, [4]RunStatus{StatusActive, StatusPaused}, StatusActive},
		{TypeRunPaused, [4]RunStatus{StatusActive, StatusAwaiting}, StatusPaused},
		{TypeRunResumed, [4]RunStatus{StatusPaused}, ""}, // to what the pause interrupted
		{TypeRunCompleted, active, StatusCompleted},
		{TypeRunFailed, open, StatusFailed},
		{TypeRunCancelled, open, StatusCancelled},
	}
}

func attemptEdges() [5]edge[AttemptStatus] {
	return [5]edge[AttemptStatus]{
		{TypeAttemptRequested, [4]AttemptStatus{""}, AttemptPending},
		{TypeAttemptStarted, [4]AttemptStatus{AttemptPending}, AttemptRunning},
		{TypeAttemptStarted, [4]AttemptStatus{AttemptStopping}, ""}, // a stop asked for meanwhile stands
		{TypeAttemptStopRequested, [4]AttemptStatus{AttemptPending, AttemptRunning}, AttemptStopping},
		{TypeAttemptExited, [4]AttemptStatus{AttemptPending, AttemptRunning, AttemptStopping}, AttemptEnded},
	}
}

func stageEdges() [10]edge[StageStatus] {
	return [10]edge[StageStatus]{
		{TypeConditionRequested, [4]StageStatus{StagePending, StageStale}, ""},
		{TypeConditionEvaluated, [4]StageStatus{StagePending, StageStale}, ""},
		{TypeStageOpened, [4]StageStatus{StagePending, StageStale}, StageOpen},
		{TypeTaskAdmitted, [4]StageStatus{StageOpen}, ""},
		{TypeApprovalRequested, [4]StageStatus{StageOpen}, StageGated},
		{TypeApprovalGranted, [4]StageStatus{StageGated}, ""},
		{TypeApprovalLapsed, [4]StageStatus{StageGated}, StageOpen},
		{TypeFeedbackGiven, [4]StageStatus{StageOpen, StageGated}, StageStale},
		{TypeStagePassed, [4]StageStatus{StageOpen, StageGated}, StageDone},
		{TypeStageSkipped, [4]StageStatus{StagePending, StageStale, StageOpen, StageGated}, StageOmitted},
	}
}

// RunNext is where an event leads a run, and whether it may happen at all.
func RunNext(from RunStatus, on Type) (to RunStatus, allowed bool) {
	to, allowed, _ = runStep(on, from)
	return to, allowed
}

// StageNext is where an event leads the stage it names.
func StageNext(from StageStatus, on Type) (to StageStatus, allowed bool) {
	to, allowed, _ = stageStep(on, from)
	return to, allowed
}

// AttemptNext is where an event leads the attempt it names.
func AttemptNext(from AttemptStatus, on Type) (to AttemptStatus, allowed bool) {
	to, allowed, _ = attemptStep(on, from)
	return to, allowed
}

func runStep(on Type, from RunStatus) (to RunStatus, allowed, known bool) {
	table := runEdges()
	return step(table[:], on, from)
}

func stageStep(on Type, from StageStatus) (to StageStatus, allowed, known bool) {
	table := stageEdges()
	return step(table[:], on, from)
}

func attemptStep(on Type, from AttemptStatus) (to AttemptStatus, allowed, known bool) {
	table := attemptEdges()
	return step(table[:], on, from)
}

// step finds the row of an event. known is false where the machine has no row
// for it: the event does not concern the machine.
func step[S ~string](table []edge[S], on Type, from S) (to S, allowed, known bool) {
	for i := range table {
		e := &table[i]
		if e.on != on {
			continue
		}
		known = true
		if !e.leaves(from) {
			continue
		}
		if e.to == "" {
			return from, true, true
		}
		return e.to, true, true
	}
	return from, !known, known
}

// leaves reports that the row is about a state. The first place always counts:
// a machine begins in the empty state.
func (e *edge[S]) leaves(from S) bool {
	for i, s := range e.from {
		if s == from {
			return i == 0 || s != ""
		}
	}
	return false
}
