package core

// Action is something to be done. Actions are not stored: Effects derives them
// from the state as what was requested and is not concluded, so after a crash
// whoever executes them looks at the world and reconciles. An action's key is
// the id of the event that requested it and its kind; executing one twice has
// the effect of executing it once.
//
//sumtype:decl
type Action interface {
	key() string
}

// KeyOf is the key of an action.
func KeyOf(a Action) string { return a.key() }

// StartAttempt prepares a workspace and starts an agent in it, or offers the
// attempt to the interactive session that starts the run's agents.
type StartAttempt struct {
	Event, Stage, Task, Attempt, Session string
}

// WatchAttempt follows a started attempt to its end and collects what it
// handed in.
type WatchAttempt struct {
	Event, Task, Attempt string
}

// StopAttempt ends an attempt.
type StopAttempt struct {
	Event, Task, Attempt, Reason string
}

// Verify runs the checks of a delivery.
type Verify struct {
	Event, Stage, Task, Attempt string
}

// EvaluateCondition evaluates a phase's `when:`.
type EvaluateCondition struct {
	Event, Stage, Expr string
}

// MoveBranch lets the yard's ref follow the run's head.
type MoveBranch struct {
	Ref, Old, New string
}

// HoldRef keeps abandoned work under a ref.
type HoldRef struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
	Reason string `json:"reason"`
}

// PreparePublish verifies the head again and looks up what publishing would
// change.
type PreparePublish struct {
	Event, Stage, Task string
}

// Publish pushes the approved commit and opens a pull request.
type Publish struct {
	Event, Task string
}

// ReadPlan looks for the plan on the run's branch.
type ReadPlan struct {
	Run, Commit string
}

// WritePlan commits a change of the plan to the run's branch.
type WritePlan struct {
	Event string
}

// Merge merges a stage's branch into the run's, and verifies the merged tree.
type Merge struct {
	Event, Stage, Task string
}

// Validate runs the checks of the run's branch once more, without memory.
type Validate struct {
	Event, Stage, Task string
}

// MergeIntoBase sets the base of the person's repository to the merge that they
// granted.
type MergeIntoBase struct {
	Event string
}

// WatchPullRequest follows a pull request that somebody is to look at.
type WatchPullRequest struct {
	Run, Commit string
	Merge       string // that a person granted
}

// Sweep removes the working folders of a run that is over and whose work is
// safe elsewhere.
type Sweep struct {
	Run string
}

// Notify tells a person of something that waits for them.
type Notify struct {
	Event string
}

func (a StartAttempt) key() string      { return a.Event + " start " + a.Attempt + " " + a.Session }
func (a WatchAttempt) key() string      { return "watch " + a.Attempt }
func (a StopAttempt) key() string       { return a.Event + " stop " + a.Attempt }
func (a Verify) key() string            { return a.Event + " verify " + a.Attempt }
func (a EvaluateCondition) key() string { return a.Event + " condition " + a.Stage }
func (a MoveBranch) key() string        { return "move " + a.Ref }
func (a HoldRef) key() string           { return a.Commit + " keep " + a.Ref }
func (a PreparePublish) key() string    { return a.Event + " prepare " + a.Task }
func (a Publish) key() string           { return a.Event + " publish " + a.Task }
func (a ReadPlan) key() string          { return a.Run + " plan " + a.Commit }
func (a WritePlan) key() string         { return a.Event + " write plan" }
func (a Merge) key() string             { return a.Event + " merge " + a.Task }
func (a Validate) key() string          { return a.Event + " validate " + a.Task }
func (a MergeIntoBase) key() string     { return a.Event + " merge into base" }
func (a WatchPullRequest) key() string  { return a.Run + " pull request " + a.Commit + " " + a.Merge }
func (a Sweep) key() string             { return a.Run + " sweep" }
func (a Notify) key() string            { return a.Event + " notify" }
