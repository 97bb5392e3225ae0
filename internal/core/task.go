package core

import "time"

// TaskStatus is where a task stands. See transition.go for what may follow.
type TaskStatus string

const (
	TaskWaiting   TaskStatus = "waiting"   // for its dependencies, a retry or a decision
	TaskRunning   TaskStatus = "running"   // an attempt is requested or running
	TaskDelivered TaskStatus = "delivered" // an attempt handed in, not yet verified
	TaskVerifying TaskStatus = "verifying" // its checks run
	TaskDone      TaskStatus = "done"      // its checks passed
	TaskDropped   TaskStatus = "dropped"   // its stage was skipped, or its team went on without it
)

// Task is one piece of work of a round.
type Task struct {
	ID         string            `json:"id"`
	Stage      string            `json:"stage"`
	Name       string            `json:"name,omitempty"`
	Kind       TaskKind          `json:"kind,omitempty"`
	Role       string            `json:"role,omitempty"`
	Prompt     string            `json:"prompt,omitempty"` // what is to be done, beside what its stage and role say
	Act        Act               `json:"act,omitempty"`
	Status     TaskStatus        `json:"status"`
	Writes     Writes            `json:"writes"`
	Needs      []string          `json:"needs,omitempty"`
	Inputs     []Input           `json:"inputs,omitempty"`
	Outputs    []string          `json:"outputs,omitempty"`
	Done       Check             `json:"done"`
	DependsOn  []string          `json:"depends_on,omitempty"`
	Limit      int               `json:"limit"`
	Timeout    time.Duration     `json:"timeout"`
	Attempts   []*Attempt        `json:"attempts,omitempty"`
	First      bool              `json:"first,omitempty"`   // the run's branch is looked at before anybody is started
	Looked     bool              `json:"looked,omitempty"`  // that was done
	Seen       []CheckResult     `json:"seen,omitempty"`    // what that showed, if the checks did not hold
	Found      string            `json:"found,omitempty"`   // commit of which the checks held without anybody's work
	Requested  int               `json:"requested"`         // attempts ever requested
	Counted    int               `json:"counted"`           // attempts that count against the limit
	Infra      int               `json:"infra,omitempty"`   // attempts lost to infrastructure
	Trouble    string            `json:"trouble,omitempty"` // what kept its branch from being looked at, the last time
	Stuck      bool              `json:"stuck,omitempty"`   // no attempt can help before a person does
	Blocked    *Claim            `json:"blocked,omitempty"` // claim it waits for
	NotBefore  time.Time         `json:"not_before,omitzero"`
	Prepared   *PublishPrepared  `json:"prepared,omitempty"` // act tasks: what was verified to be published, and can be approved
	Published  bool              `json:"published,omitempty"`
	Publishing *PublishRequested `json:"publishing,omitempty"`
	Merge      *MergeNote        `json:"merge,omitempty"`      // act tasks: how a merge went that was tried
	Event      string            `json:"event"`                // id of the event that asked for what is under way
	Delegation string            `json:"delegation,omitempty"` // that it does the work of
	AdmittedAt time.Time         `json:"admitted_at,omitzero"`
	By         Actor             `json:"by,omitzero"` // whose word led to it
}

// keptAttempts bounds how many ended attempts of a round the state holds. The
// prompt of a retry needs only the newest; the events have them all.
const keptAttempts = 8

// Last is the newest attempt; nil if there is none.
func (t *Task) Last() *Attempt {
	if len(t.Attempts) == 0 {
		return nil
	}
	return t.Attempts[len(t.Attempts)-1]
}

// failed reports a task that used up its attempts, and whose last one handed in
// what the checks did not accept.
func (t *Task) failed() bool {
	a := t.Last()
	return t.Status == TaskWaiting && t.Act == "" && t.Counted >= t.Limit &&
		a != nil && a.Verdict == VerdictFailed && a.Delivery.Sound(t.Writes)
}

// Delivered is the newest delivery of the task; nil if there is none.
func (t *Task) Delivered() *Delivery {
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		if d := t.Attempts[i].Delivery; d != nil {
			return d
		}
	}
	return nil
}

// WorkingCommit is the commit the next attempt continues from: the newest
// delivery that builds on this round, or the round's base. Work is continued,
// not repeated.
func (t *Task) WorkingCommit(base string) string {
	for i := len(t.Attempts) - 1; i >= 0; i-- {
		if d := t.Attempts[i].Delivery; d != nil && d.Commit != "" && !d.Rewritten {
			return d.Commit
		}
	}
	return base
}
