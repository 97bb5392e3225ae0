package core

// PauseCode says why a run waits.
type PauseCode string

const (
	PausePerson       PauseCode = "person"        // a person asked for it
	PauseAttempts     PauseCode = "attempts"      // the round's attempts are used up
	PauseInfra        PauseCode = "infra"         // too many losses to infrastructure
	PauseSterile      PauseCode = "loop"          // decisions without progress
	PauseWall         PauseCode = "wall_time"     // the run's time is used up
	PauseBudget       PauseCode = "budget"        // money or tokens are used up, or the project's time
	PauseProjectLimit PauseCode = "project_limit" // the project's attempts are used up
	PauseInput        PauseCode = "input"         // a required input cannot be had
	PauseAction       PauseCode = "action"        // what was decided cannot be done
	PausePublish      PauseCode = "publish"       // publishing failed
	PauseCondition    PauseCode = "condition"     // a `when:` could not be evaluated
	PauseUnlawful     PauseCode = "unlawful"      // the decider proposed what the law refuses
	PauseQuestion     PauseCode = "question"      // the manager asked something
	PauseBarren       PauseCode = "barren"        // the manager was woken again and again, and changed nothing
	PauseProject      PauseCode = "project"       // a person paused its whole project
)

// RunPaused stops a run until somebody acts.
type RunPaused struct {
	Stop   bool      `json:"stop,omitempty"` // running attempts are ended, too
	Code   PauseCode `json:"code"`
	Stage  string    `json:"stage,omitempty"`
	Reason string    `json:"reason"`
	Advice
}

// RunResumed lets a paused run go on.
type RunResumed struct {
	Note   string  `json:"note,omitempty"`
	Limits *Limits `json:"limits,omitempty"` // raised by the person
}

// RunCompleted ends a run whose stages have all passed or were skipped.
type RunCompleted struct{}

// RunFailed ends a run that cannot go on.
type RunFailed struct {
	Reason string `json:"reason"`
}

// RunCancelled ends a run on a person's word.
type RunCancelled struct {
	Reason string `json:"reason,omitempty"`
}

// TimerFired brings the time into a run.
type TimerFired struct {
	Timer string `json:"timer"`
}

// CommandRefused records an input that the law or a precondition refused.
type CommandRefused struct {
	Command string `json:"command"`
	Reason  string `json:"reason"`
}

// PersonNotified records that somebody was told of what waits for them.
type PersonNotified struct {
	Event string `json:"event"` // id of the event they were told of
}

// RunSwept records that the working folders of a run that is over are gone.
// Everything that was in them is in the yard and among the objects.
type RunSwept struct{}
