package core

import "time"

// ProjectFacts are what is decided by about a project besides its own events.
// They are established after the project's state was read.
type ProjectFacts struct {
	Now    time.Time
	Driver string // id of the run that drives it; "" while none does
	Begun  bool   // the run of the epic whose turn it is has begun
	Open   []OpenRun
}

// OpenRun is what a project decides by about one of its runs that are not over.
type OpenRun struct {
	ID    string
	Pause PauseCode // "" while it is not paused
}

// ProjectActions are what a project's state asks for. Like the actions of a run
// they are not stored: what a crash left undone follows from the state again.
type ProjectActions struct {
	Taken  *EpicTaken  // to be recorded; the queue is then looked at again
	Pause  []string    // runs that are to stand still with the project
	Resume []string    // runs that stood still with it and are to go on
	Start  *QueuedEpic // whose run is to begin; it has the run's id, so it begins once
}

// StartFailure is why an epic's run could not be started.
type StartFailure struct {
	Epic, Reason string
	Advice       Advice
	Passing      bool // the reason may pass by itself
}
