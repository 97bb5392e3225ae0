package core

import (
	"slices"
	"time"
)

// WakeKind says what woke a manager.
type WakeKind string

const (
	WakeEpic     WakeKind = "epic"     // the run began
	WakeTask     WakeKind = "task"     // delegated work ended
	WakeMessage  WakeKind = "message"  // a person said something
	WakeAnswer   WakeKind = "answer"   // a question was answered
	WakeChanges  WakeKind = "changes"  // somebody wants the published work changed
	WakeChecks   WakeKind = "checks"   // the forge's own checks failed
	WakeWatchdog WakeKind = "watchdog" // nothing happened for a long time
	WakePerson   WakeKind = "person"   // a person let the run go on
)

// Wake is a reason for the manager to look. Wakes that arrive while a turn runs
// wait for the next; however many there are, one turn sees them all.
type Wake struct {
	Kind     WakeKind      `json:"kind"`
	Event    string        `json:"event"`
	Subject  string        `json:"subject,omitempty"` // delegation, question or change it is about
	Task     TaskKind      `json:"task,omitempty"`    // kind of the work that ended
	Status   string        `json:"status,omitempty"`  // how it ended
	Branch   string        `json:"branch,omitempty"`
	Text     string        `json:"text,omitempty"`
	Elapsed  time.Duration `json:"elapsed,omitempty"`
	CostUSD  float64       `json:"cost_usd,omitempty"`
	Unpriced int           `json:"unpriced,omitempty"`     // attempts of it that did not say what they cost
	Summary  string        `json:"summary,omitempty"`      // the worker's own words: shown, never believed
	Request  string        `json:"pull_request,omitempty"` // address of the pull request that was opened
	Merge    *MergeNote    `json:"merge,omitempty"`        // how its branch was merged, if it was to be
	By       Actor         `json:"by,omitzero"`            // whose word it was
	// Conversation is where it was said; the project's first if empty.
	Conversation string    `json:"conversation,omitempty"`
	At           time.Time `json:"at"`
}

// Bounds of what the state keeps of a manager's turns.
const (
	keptWakes   = 40
	keptWake    = 2 << 10
	keptWords   = 1 << 10
	MaxBarren   = 3   // turns without a change before a person is asked
	MaxMessages = 10  // that a manager may send in a turn
	MaxDeeds    = 100 // calls of its tools in a turn
	MaxFetched  = 500 // details that an attempt may read
)

// Turn is one turn of the manager: why it was woken, and what it did. A turn
// that has to be repeated is shown what it did already.
type Turn struct {
	Wakes  []Wake `json:"wakes,omitempty"`
	Missed int    `json:"missed,omitempty"` // wakes beyond those
	Deeds  []Deed `json:"deeds,omitempty"`
	Calls  int    `json:"calls,omitempty"` // of tools, refused ones included
}

// Tool names one of the agent-side tools.
type Tool string

const (
	ToolDelegate Tool = "delegate"
	ToolMessage  Tool = "message"
	ToolPlan     Tool = "plan"
	ToolQuestion Tool = "question"
	ToolDetail   Tool = "detail" // looks a document up, which is recorded
)

// Deed is a call of a tool that was carried out or refused.
type Deed struct {
	Tool    Tool   `json:"tool"`
	Key     string `json:"key,omitempty"` // what the call was told apart by
	Subject string `json:"subject,omitempty"`
	Text    string `json:"text,omitempty"`
	Refused string `json:"refused,omitempty"` // why
}

// Manager is the stage of the manager's turns; nil before the first.
func (r *Run) Manager() *Stage { return r.Stage(ManagerStage) }

// InTurn reports that a turn of the manager is under way.
func (r *Run) InTurn() bool {
	s := r.Manager()
	return s != nil && s.Status == StageOpen
}

// Turning is the attempt that a turn is run by at this moment; nil if none is.
func (r *Run) Turning() *Attempt {
	if !r.InTurn() {
		return nil
	}
	for _, t := range r.Manager().Tasks {
		if a := t.Last(); a != nil && a.Status.Active() {
			return a
		}
	}
	return nil
}

// TaskID is a task's id where those of all runs lie.
func (r *Run) TaskID(task string) string { return r.ID + "/" + task }

// TriggeredBy is the task whose end called for this one: the newest that woke the
// manager, the last that it had to wait for; "" if none did.
func (r *Run) TriggeredBy(s *Stage, t *Task) string {
	if t.Kind == KindManage && s.Turn != nil {
		for _, w := range slices.Backward(s.Turn.Wakes) {
			if d := r.Delegation(w.Subject); w.Kind == WakeTask && d != nil && d.Task != "" {
				return d.Task
			}
		}
	}
	if n := len(t.DependsOn); n > 0 {
		return t.DependsOn[n-1]
	}
	return ""
}

// InThisTurn is the delegation by which the turn that is under way had the same
// done before; "" if there is none.
func (r *Run) InThisTurn(d *Delegation) string {
	if !r.InTurn() || r.Manager().Turn == nil {
		return ""
	}
	first := ""
	for _, deed := range r.Manager().Turn.Deeds {
		switch {
		case deed.Tool != ToolDelegate || deed.Key != d.Key || deed.Refused != "":
		case deed.Subject == d.ID:
			return first
		case first == "":
			first = deed.Subject
		}
	}
	return "" // it is not of this turn
}

// From is the commit that a task's next attempt starts from. A manager sees the
// plan as it is: an earlier try of its turn may have changed it.
func (r *Run) From(s *Stage, t *Task) string {
	if t.Kind == KindManage {
		return r.Head
	}
	return t.WorkingCommit(s.Start())
}

// ByManager reports a run whose work is chosen by a manager.
func (r *Run) ByManager() bool { return r.Managed() && r.Playbook.Project.Roles[KindManage] != "" }
