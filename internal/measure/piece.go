// Package measure turns the events of a run into pieces of work with a
// beginning and an end: the run itself, its waves, the rounds of its stages,
// tasks, attempts and checks. It is a pure function of the events, for those who report
// how long things took and how they went. It must not decide anything, and
// nothing that decides may read it.
package measure

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Kind says what a piece of work is. Each is part of one of the kind before it,
// with two exceptions: the checks of work that the engine does itself are part of
// the task, and a stage that no wave was open for is part of the run.
type Kind string

// The kinds, from the outside in.
const (
	Run     Kind = "run"
	Wave    Kind = "wave"  // of a run whose work is delegated in waves
	Stage   Kind = "stage" // one round of it
	Task    Kind = "task"
	Attempt Kind = "attempt"
	Check   Kind = "check"
)

// How a piece ended. An attempt ends with its core.ExitKind.
const (
	OK         = "OK"
	NotOK      = "NOT_OK"
	Cancelled  = "cancelled"
	Skipped    = "skipped"
	Discarded  = "discarded"
	SentBack   = "sent_back"  // a person or a review wants it done again
	Superseded = "superseded" // another round began
	Dropped    = "dropped"    // with the round or the run it was part of
	Failed     = "error"      // a check that could not be run
)

// Piece is a piece of work that has ended.
type Piece struct {
	Kind   Kind
	ID     string // of the event that began it; of a check, that concluded it, with its place
	Parent string // ID of the piece that it is part of; "" for the run
	Began  time.Time
	Ended  time.Time
	Took   time.Duration // of an attempt or a check, as it was measured beside it
	Seq    int64         // of the event that ended it

	Run      string
	Playbook string // name of the playbook
	Drive    string // its kind
	Wave     int    // in which it began; 0 outside of waves
	Stage    string
	Round    int
	Task     string
	Work     string // kind of the task, or the act that it is
	Attempt  string
	N        int
	Role     string
	Agent    string
	Model    string
	Check    core.CheckKind
	Reused   bool
	Outcome  string
	Class    string // of an attempt that failed
	Usage    core.Usage
	Traffic  core.Traffic      // of an attempt in a closed network
	Machine  *core.Consumption // what an attempt took of it; nil if nothing bounded it
}
