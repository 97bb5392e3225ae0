package core

import "time"

// AttemptStatus is where an attempt stands. See transition.go for what may follow.
type AttemptStatus string

const (
	AttemptPending  AttemptStatus = "requested"
	AttemptRunning  AttemptStatus = "running"
	AttemptStopping AttemptStatus = "stopping"
	AttemptEnded    AttemptStatus = "ended"
)

// Active reports that a process of the attempt may exist.
func (s AttemptStatus) Active() bool { return s != AttemptEnded && s != "" }

// Attempt is one execution of a task by one agent process.
type Attempt struct {
	ID         string         `json:"id"`
	N          int            `json:"n"`
	Status     AttemptStatus  `json:"status"`
	Event      string         `json:"event"` // id of the event that asked for what is under way
	Base       string         `json:"base"`
	Agent      string         `json:"agent,omitempty"`
	Isolation  string         `json:"isolation,omitempty"`
	Session    string         `json:"session,omitempty"` // that started it; none if the engine did
	StartedAt  time.Time      `json:"started_at,omitzero"`
	StopReason string         `json:"stop_reason,omitempty"`
	Exit       ExitKind       `json:"exit,omitempty"`
	Class      string         `json:"class,omitempty"`
	Message    string         `json:"message,omitempty"`
	Summary    string         `json:"summary,omitempty"`
	Duration   time.Duration  `json:"duration,omitempty"`
	Usage      Usage          `json:"usage"`             // as its agent claims; Used is what counts
	Metered    *Usage         `json:"metered,omitempty"` // by its broker
	Brokered   bool           `json:"brokered,omitempty"`
	Reserved   *Amount        `json:"reserved,omitempty"` // what it may spend in all; nil if nothing limited it at its start
	Wants      *Want          `json:"wants,omitempty"`    // that is not answered
	Answered   int64          `json:"answered,omitempty"` // number of its newest want that is
	Short      *Shortage      `json:"short,omitempty"`    // why that one was not met in full
	Exceeded   string         `json:"exceeded,omitempty"` // the limit of its own that ended it, in words
	Traffic    *Traffic       `json:"traffic,omitempty"`
	Delivery   *Delivery      `json:"delivery,omitempty"`
	Counted    bool           `json:"counted,omitempty"`
	Verdict    Verdict        `json:"verdict,omitempty"`
	Results    []CheckResult  `json:"results,omitempty"`
	Review     *Review        `json:"review,omitempty"`
	Skips      []SkipProposal `json:"skips,omitempty"`   // what its plan proposes to leave out
	Touches    bool           `json:"touches,omitempty"` // it changed what the playbook wants reviewed
	Said       int            `json:"said,omitempty"`    // messages it sent
	Refused    int            `json:"refused,omitempty"` // calls of tools that were refused to it
	Fetched    int            `json:"fetched,omitempty"` // details that it read
	Resources  *Consumption   `json:"resources,omitempty"`
}

// Verdict is what the outside checks said about a delivery.
type Verdict string

const (
	VerdictNone   Verdict = ""
	VerdictPassed Verdict = "passed"
	VerdictFailed Verdict = "failed"
)

// Infrastructure reports an end that says nothing about the work: the attempt
// does not count against the round's limit.
func (e AttemptExited) Infrastructure() bool {
	if e.Hopeless {
		return true
	}
	switch e.Kind {
	case ExitLost, ExitNoStart, ExitCancelled:
		return true
	case ExitFailed:
		return TransientClass(e.Class)
	case ExitFinished, ExitTimeout:
		return false
	}
	return false
}

// TransientClass reports that a class of failure lies outside the agent's work.
func TransientClass(class string) bool {
	return class == "api_error" || class == "usage_limit" || class == "network"
}

// backoff is how long a task waits after its n-th loss to infrastructure.
func backoff(n int) time.Duration {
	d := time.Second
	for range n - 1 {
		d *= 4
		if d >= 5*time.Minute {
			return 5 * time.Minute
		}
	}
	return d
}
