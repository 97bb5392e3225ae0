package core

import (
	"encoding/json"
	"slices"
	"time"
)

// RunStatus is where a run stands. See transition.go for what may follow.
type RunStatus string

const (
	StatusActive    RunStatus = "active"
	StatusAwaiting  RunStatus = "awaiting_approval"
	StatusPaused    RunStatus = "paused"
	StatusReview    RunStatus = "awaiting_review" // published, somebody is to look at it
	StatusCompleted RunStatus = "completed"
	StatusFailed    RunStatus = "failed"
	StatusCancelled RunStatus = "cancelled"
)

// Terminal reports that nothing is done for the run any more. What it published may
// still be merged.
func (s RunStatus) Terminal() bool {
	return s == StatusCompleted || s == StatusFailed || s == StatusCancelled
}

// InWords names a status for messages that people meet.
func (s RunStatus) InWords() string {
	switch s {
	case StatusAwaiting:
		return "waiting for an approval"
	case StatusReview:
		return "in review"
	default:
		return string(s)
	}
}

// Run is the state of one goal on its way to a pull request: the fold of its
// events. It holds the current round of each stage; what earlier rounds did is
// in the events.
//
// It is the one shape of a run that decides anything. The others are made from it or
// from its events: store.RunRow is what lists, sums and limits select by, api.Run and
// api.RunDetail are promised to clients, snapshot.Snapshot is what hooks read without
// an engine, and RunStarted is what stays pinned whatever the state becomes.
type Run struct {
	ID         string     `json:"id"`
	Alias      string     `json:"alias"`
	Project    string     `json:"project"`
	Goal       string     `json:"goal"`
	Title      string     `json:"title"`
	Issue      string     `json:"issue,omitempty"`
	Playbook   *Playbook  `json:"playbook,omitempty"`
	Limits     Limits     `json:"limits"`
	Base       string     `json:"base"`
	BaseCommit string     `json:"base_commit"`
	Branch     string     `json:"branch"`
	Remote     string     `json:"remote"`
	Forge      string     `json:"forge"`
	ForgeURL   string     `json:"forge_url,omitempty"`
	Repository string     `json:"repository,omitempty"`
	Home       string     `json:"home,omitempty"`
	Isolation  string     `json:"isolation"`
	Identity   Identity   `json:"identity"`
	Policy     *RunPolicy `json:"policy,omitempty"`
	Options    Options    `json:"choices"`
	Session    string     `json:"session,omitempty"` // the interactive session that starts the agents
	Preflight  *Preflight `json:"preflight,omitempty"`
	Network    *Network   `json:"network,omitempty"`
	Resources  Resources  `json:"resources,omitzero"`
	Word       *Word      `json:"word,omitempty"` // what the person in it said last, until it is used or lapses

	Status       RunStatus     `json:"status"`
	Pause        *Pause        `json:"pause,omitempty"`
	Stages       []*Stage      `json:"stages,omitempty"`
	Target       string        `json:"target,omitempty"`    // branch the pull request goes to, if a person chose one
	Head         string        `json:"head"`                // what the next work starts from
	Verified     string        `json:"verified"`            // newest commit whose checks passed: what is shown and published
	BranchAt     string        `json:"branch_at,omitempty"` // where the yard's ref stands
	Keep         []HoldRef     `json:"keep,omitempty"`      // abandoned work not yet held under a ref
	Kept         int           `json:"kept,omitempty"`      // how many refs are held
	PullRequest  *PullRequest  `json:"pull_request,omitempty"`
	Sterile      int           `json:"sterile,omitempty"`       // decisions since the last progress
	LastDecision string        `json:"last_decision,omitempty"` // cause of the newest decision
	Impulse      Impulse       `json:"impulse,omitzero"`        // what the newest decisions follow from
	AutoRounds   int           `json:"auto_rounds,omitempty"`   // of kind phases: begun without a person, since one last acted
	SentBack     []SentBack    `json:"sent_back,omitempty"`     // work that was to be done again, the newest
	SentBefore   int           `json:"sent_before,omitempty"`
	Gone         []Line        `json:"gone,omitempty"`         // branches of rounds that were given up, still in the yard
	Talk         []Message     `json:"talk,omitempty"`         // the newest of the conversation
	Said         int           `json:"said,omitempty"`         // messages ever
	Conversation string        `json:"conversation,omitempty"` // where the goal was said; the project's first if empty
	Questions    []Question    `json:"questions,omitempty"`    // that nobody has answered
	Answers      []Answer      `json:"answers,omitempty"`
	Calls        []Heard       `json:"calls,omitempty"`  // of tools, the newest
	Driving      Driving       `json:"driving"`          // of the kinds rules and manager
	Managing     Managing      `json:"managing"`         // of kind manager
	Waves        *Waves        `json:"waves,omitempty"`  // of kind waves
	Stirred      time.Time     `json:"stirred,omitzero"` // when something last happened that is not the watchdog's own doing
	Swept        bool          `json:"swept,omitempty"`  // its working folders are gone
	Tell         []string      `json:"tell,omitempty"`   // ids of events a person has not been told of
	Usage        Usage         `json:"usage"`
	Unpriced     int           `json:"unpriced,omitempty"` // attempts that ended without saying what they cost
	Others       Spent         `json:"others,omitzero"`    // by the project's other runs, when the run was last told
	Unfunded     string        `json:"unfunded,omitempty"` // the attempt that lacks money or tokens and that the run pauses for
	ToldAt       time.Time     `json:"told_at,omitzero"`
	Attempts     int           `json:"attempts"` // ever requested
	StartedAt    time.Time     `json:"started_at"`
	ClockFrom    time.Time     `json:"clock_from"`           // wall time counts from here
	Granted      time.Duration `json:"granted,omitempty"`    // wall time used before that, and granted again
	WaitsSince   time.Time     `json:"waits_since,omitzero"` // for a person
	EndedAt      *time.Time    `json:"ended_at,omitempty"`
	EndReason    string        `json:"end_reason,omitempty"`
	Stream       Head          `json:"stream"`
}

// Driving is what only a run that drives its project knows: its plan, and what
// people want changed of what it does.
type Driving struct {
	Plan      *Plan      `json:"plan,omitempty"`       // nil until it was looked for
	PlanWrite *PlanWrite `json:"plan_write,omitempty"` // a change of the plan that is under way
	Changes   []Changes  `json:"changes,omitempty"`    // what people want changed, and nobody works on yet
	Asked     []string   `json:"asked,omitempty"`      // ids of all such wishes
}

// Managing is what only a run with a manager knows. Rules that take such a run over
// leave it as it is, but for the wakes.
type Managing struct {
	PlanProposed *PlanWrite    `json:"plan_proposed,omitempty"` // a change of the plan that was proposed
	Delegations  []*Delegation `json:"delegations,omitempty"`
	Delegated    int           `json:"delegated,omitempty"` // delegations ever proposed
	Documents    []Artifact    `json:"documents,omitempty"` // that closed lines handed in, the newest of each name
	Rounds       Rounds        `json:"rounds,omitempty"`    // of closed lines that the state does not hold any more
	Wakes        []Wake        `json:"wakes,omitempty"`     // that no turn of the manager has seen
	Missed       int           `json:"missed,omitempty"`    // wakes beyond those that are held
	Barren       int           `json:"barren,omitempty"`    // turns of the manager without a change, in a row
}

// Pause says why a run waits and what a person can do.
type Pause struct {
	Code   PauseCode `json:"code"`
	Stage  string    `json:"stage,omitempty"`
	Reason string    `json:"reason"`
	Advice
	At   time.Time `json:"at"`
	From RunStatus `json:"from"` // what resuming returns to
	Stop bool      `json:"stop,omitempty"`
}

// PullRequest is where a run was published.
type PullRequest struct {
	URL     string           `json:"url,omitempty"`
	Number  int              `json:"number,omitempty"`
	Commit  string           `json:"commit,omitempty"` // that was pushed
	State   PullRequestState `json:"state,omitempty"`
	Checks  string           `json:"checks,omitempty"`
	Preview string           `json:"preview,omitempty"`
	Cursor  string           `json:"cursor,omitempty"`
	Grant   Grant            `json:"grant,omitzero"`   // of its merge here
	Merged  string           `json:"merged,omitempty"` // the merge that was granted, once the base holds it
}

// Grant is a person's word that a pull request be merged here.
type Grant struct {
	By     string       `json:"by"`
	Commit string       `json:"commit"`
	Base   string       `json:"base,omitempty"`
	Tip    string       `json:"tip"`              // where the base was
	Merge  string       `json:"merge"`            // the commit it is set to
	Event  string       `json:"event,omitempty"`  // that asks the engine to set it; "" where the person's own git does
	Failed *MergeFailed `json:"failed,omitempty"` // why the engine did not
}

// PlanWrite is a change of the plan: one that was decided and is under way, or of its
// documents, which a manager proposed.
type PlanWrite struct {
	Event    string     `json:"event"`
	Artifact string     `json:"artifact,omitempty"`
	Done     []string   `json:"done,omitempty"`
	Files    []PlanFile `json:"files,omitempty"`
	Message  string     `json:"message"`
}

// Line is where a branch of the yard stands.
type Line struct {
	Branch string `json:"branch"`
	At     string `json:"at"`
}

// Changes is what somebody wants changed.
type Changes struct {
	ID     string `json:"id"`
	Source string `json:"source,omitempty"`
	Text   string `json:"text"`
}

// Stage finds a stage by id; nil if there is none.
func (r *Run) Stage(id string) *Stage {
	return first(r.Stages, func(s *Stage) bool { return s.ID == id })
}

// Current is the first stage that neither passed nor was skipped; nil if
// all have.
func (r *Run) Current() *Stage {
	return first(r.Stages, func(s *Stage) bool { return !s.Status.Closed() })
}

// Gated is the stage at which a person is asked; nil if none is.
func (r *Run) Gated() *Stage {
	return first(r.Stages, func(s *Stage) bool { return s.Status == StageGated && s.Gate != nil })
}

// Waits says what keeps an open run from going on until somebody acts; "" if
// it goes on by itself.
func (r *Run) Waits() string {
	switch {
	case r.Pause != nil:
		return r.Pause.Reason
	case r.Status == StatusAwaiting && r.Gated() != nil:
		return "stage " + r.Gated().ID + " waits for an approval"
	}
	return ""
}

// Task finds a task of a current round; nil if there is none.
func (r *Run) Task(id string) *Task {
	for _, t := range r.tasks() {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Attempt finds an attempt of a current round with its task and stage.
func (r *Run) Attempt(id string) (*Stage, *Task, *Attempt) {
	for s, t := range r.tasks() {
		if a := first(t.Attempts, func(a *Attempt) bool { return a.ID == id }); a != nil {
			return s, t, a
		}
	}
	return nil, nil, nil
}

// Now is the time of the newest event: the only clock a decision has.
func (r *Run) Now() time.Time { return r.Stream.At }

// Artifact finds the valid artifact of a name: the one delivered by the latest
// closed stage of the run, or by a finished task of the open round.
func (r *Run) Artifact(name string) *Artifact {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		s := r.Stages[i]
		if s.Status == StagePending || s.Status == StageStale || s.Status == StageOmitted {
			continue
		}
		if r.ByManager() && s.Branch != "" && s.Status == StageDone {
			continue // its documents are among those below
		}
		for _, t := range slices.Backward(s.Tasks) {
			// Only who was asked for a document can replace it.
			if t.Status != TaskDone || !slices.Contains(t.Outputs, name) {
				continue
			}
			if a := t.Delivered().Artifact(name); a != nil {
				return a
			}
		}
	}
	if !r.ByManager() {
		return nil
	}
	return find(r.Managing.Documents, func(a *Artifact) bool { return a.Name == name })
}

// Context merges what the agents of valid stages reported, in stage order, and
// lays what further deliveries report on top. It is a report, not evidence.
func (r *Run) Context(further ...*Delivery) json.RawMessage {
	merged := map[string]any{}
	lay := func(d *Delivery) {
		var part map[string]any
		if d != nil && len(d.Context) > 0 && json.Unmarshal(d.Context, &part) == nil {
			merge(merged, part)
		}
	}
	for _, s := range r.Stages {
		if s.Status == StageStale || s.Status == StagePending {
			continue
		}
		for _, t := range s.Live() {
			lay(t.Delivered())
		}
	}
	for _, d := range further {
		lay(d)
	}
	raw, err := json.Marshal(merged)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// merge lays src over dst, object by object.
func merge(dst, src map[string]any) {
	for k, v := range src {
		from, ok := v.(map[string]any)
		into, both := dst[k].(map[string]any)
		if ok && both {
			merge(into, from)
			continue
		}
		dst[k] = v
	}
}

// Active is the attempts of which a process may exist, in stage order.
func (r *Run) Active() []*Attempt {
	var active []*Attempt
	for _, t := range r.tasks() {
		if a := t.Last(); a != nil && a.Status.Active() {
			active = append(active, a)
		}
	}
	return active
}

const publishing = "publishing"

// Busy names what is under way and cannot be pulled from under itself: an
// attempt, a verification or a publication. It is empty if nothing is.
func (r *Run) Busy() string {
	for _, t := range r.tasks() {
		switch t.Status {
		case TaskRunning:
			if t.Act != "" {
				return publishing
			}
			return "attempt " + t.Last().ID
		case TaskVerifying:
			if r.Pause == nil || !r.Pause.Stop {
				return "the verification of " + t.ID
			}
		case TaskWaiting, TaskDelivered, TaskDone, TaskDropped:
		}
	}
	return ""
}

// Publishing reports that the run is being published, which nothing interrupts.
func (r *Run) Publishing() bool { return r.Busy() == publishing }

// Work is the newest commit of the run, verified or not, that a redone stage
// continues from.
func (r *Run) Work() string {
	work := r.Head
	if s := r.Current(); s != nil && (s.Status == StageOpen || s.Status == StageGated) {
		for _, t := range s.Tasks {
			if t.Writes == WritesCode && t.Act == "" {
				work = t.WorkingCommit(work)
			}
		}
	}
	return work
}
