package api

import (
	"encoding/json"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The statuses of a run that has not begun, because its epic waits or could not be
// started, and of one whose history cannot be read or whose project is left to a
// newer version.
const (
	StatusQueued     core.RunStatus = "queued"
	StatusRefused    core.RunStatus = "refused"
	StatusUnreadable core.RunStatus = "unreadable"
)

// Run is a run in a list, and the answer to a word about it: what follows from
// its row or its folded state without its stages. It is no core.Run, because that
// is stored and may change with the law, and this is promised to clients.
type Run struct {
	ID      string         `json:"id"`
	Alias   string         `json:"alias"`
	Project string         `json:"project"`
	Title   string         `json:"title"`
	Issue   string         `json:"issue,omitempty"`
	Kind    string         `json:"kind,omitempty"` // of the playbook, while it is open
	Status  core.RunStatus `json:"status"`
	Reason  string         `json:"reason"`
	Next    string         `json:"next,omitempty"` // what a person can type now
	// Advice is the same as values, for who offers something better than a command.
	Advice   core.Advice `json:"advice,omitzero"`
	Halted   bool        `json:"halted,omitempty"`   // paused, and what was under way is stopped
	Stranded string      `json:"stranded,omitempty"` // why no engine can work on it, and what to do
	Turn     string      `json:"turn,omitempty"`     // why nothing of it is at work: its attempts wait for slots
	Stage    string      `json:"stage"`
	Attempts int         `json:"attempts"`
	core.Cost
	Tokens     int64      `json:"tokens"`
	Branch     string     `json:"branch"`
	Base       string     `json:"base"`
	Remote     string     `json:"remote,omitempty"`      // where its branch is published, if that is not the person's own repository
	URL        string     `json:"url,omitempty"`         // of the pull request
	CI         string     `json:"ci,omitempty"`          // what the forge's own checks say of it
	Preview    string     `json:"preview,omitempty"`     // link to a preview deployment
	MergesHere bool       `json:"merges_here,omitempty"` // it waits to be merged, which `merge` does
	MergedBy   string     `json:"merged_by,omitempty"`   // who had it merged here
	Merge      string     `json:"merge,omitempty"`       // the commit by which that was done
	Isolation  string     `json:"isolation"`             // "none" is shown as unenforced
	Network    string     `json:"network,omitempty"`     // open, listed or none; empty for a run that began before there were lists
	Session    string     `json:"session,omitempty"`     // that starts its agents
	StartedAt  time.Time  `json:"started_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	Seq        int64      `json:"seq"`
	Warnings   []string   `json:"warnings,omitempty"` // of the start
	Notes      []string   `json:"notes,omitempty"`    // of the start: what its preflight found, which the run keeps
	Epic       *Epic      `json:"epic,omitempty"`     // it waits in, if it has not begun
	// Subject is what waits for an approval, which the approval must name.
	Subject *core.Subject `json:"subject,omitempty"`
}

// RunQuery narrows a list of runs.
type RunQuery struct {
	Dir     string         `query:"dir" doc:"Only those of the repository at this path"`
	Project string         `query:"project" doc:"Only those of this project: name or key"`
	Open    bool           `query:"open" doc:"Only those that have not ended"`
	Status  core.RunStatus `query:"status" doc:"Only those of this status"`
	Before  string         `query:"before" doc:"Only those that come after this run in the list: id or alias"`
	Limit   int            `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many"` // all where 0
}

// RunDetail is a run with its stages. It is a shape of its own because a list
// would have to fold every run to show stages.
type RunDetail struct {
	Run
	Goal     string `json:"goal"`
	Playbook string `json:"playbook"`
	// Options were chosen when the run started.
	Options core.Options `json:"choices"`
	Head    string       `json:"head"`
	Changed bool         `json:"changed,omitempty"` // there is a difference to look at
	Stages  []Stage      `json:"stages"`
	Gate    *core.Gate   `json:"gate,omitempty"`  // what waits for an approval
	Pause   *core.Pause  `json:"pause,omitempty"` // why it is paused, and for which stage
	Folder  string       `json:"folder"`
	Manager *Manager     `json:"manager,omitempty"` // where one drives the run
	// PullRequest is where the run was published.
	PullRequest *PullRequest `json:"pull_request,omitempty"`
	Waves       *Waves       `json:"waves,omitempty"`  // where its work is delegated in waves
	Onward      bool         `json:"onward,omitempty"` // it drives a project, which does not go back to a stage
	// Opaque are the agents whose tool calls and consumption cannot be seen, and
	// who cannot be kept to their roles' tools.
	Opaque []string `json:"opaque,omitempty"`
	// Preflight is what was found out before the run began.
	Preflight *core.Preflight `json:"preflight,omitempty"`
	// Owner is the engine that works on it, with whose credentials it publishes and pays;
	// nil if none does, or if the engine has its store to itself.
	Owner *Owner `json:"owner,omitempty"`
	// Resources are the limits of what attempts take of the machine.
	Resources core.Resources `json:"resources,omitzero"`
}

// Stage is a stage of a run.
type Stage struct {
	ID     string           `json:"id"`
	Number string           `json:"number,omitempty" doc:"Of a phase: it can be named by it"`
	Branch string           `json:"branch,omitempty"`
	Title  string           `json:"title,omitempty"`
	Status core.StageStatus `json:"status"`
	Skip   core.SkipSource  `json:"skip,omitempty"` // on whose word it was skipped
	Round  int              `json:"round"`
	Gate   core.GateKind    `json:"gate"`
	Code   bool             `json:"code,omitempty"` // it is for work on the code
	Tasks  []Task           `json:"tasks,omitempty"`
	// Asked is what is to be different about it in its current round, or in the
	// one that is about to begin.
	Asked *core.Hotfix `json:"asked,omitempty"`
	// Review is what the reviewer of its current round says of the work.
	Review *core.Review `json:"review,omitempty"`
	// After are the stages that one with a branch of its own comes after.
	After []string `json:"after,omitempty"`
}

// Task is a task of a stage's current round.
type Task struct {
	ID        string          `json:"id"`
	Name      string          `json:"name,omitempty"` // what it is called where its stage has several
	Kind      core.TaskKind   `json:"kind,omitempty"`
	Role      string          `json:"role,omitempty"`
	Prompt    string          `json:"prompt,omitempty"` // what is to be done, in the words of who asked for it
	Act       core.Act        `json:"act,omitempty"`    // what the engine itself does; such a task has no attempts
	Status    core.TaskStatus `json:"status"`
	Blocked   string          `json:"blocked,omitempty"`   // what it waits for
	Place     int             `json:"place,omitempty"`     // in the line for slots, from 1; told of one run, not in lists
	NotBefore time.Time       `json:"not_before,omitzero"` // of the next attempt
	Checks    []string        `json:"checks,omitempty"`    // what a delivery is held to
	Limit     int             `json:"limit"`
	Counted   int             `json:"counted"`
	Attempts  []Attempt       `json:"attempts,omitempty"`
	// Prepared are the checks that were made once more before publishing.
	Prepared []core.CheckResult `json:"prepared,omitempty"`
}

// Attempt is an attempt of a task.
type Attempt struct {
	ID        string             `json:"id"`
	N         int                `json:"n"`
	Status    core.AttemptStatus `json:"status"`
	Agent     string             `json:"agent,omitempty"`
	Exit      core.ExitKind      `json:"exit,omitempty"`
	Message   string             `json:"message,omitempty"`
	Summary   string             `json:"summary,omitempty"`
	Verdict   core.Verdict       `json:"verdict,omitempty"`
	Results   []core.CheckResult `json:"results,omitempty"`
	Usage     core.Usage         `json:"usage"`             // what counts: metered if a broker did, as claimed otherwise
	Claimed   *core.Usage        `json:"claimed,omitempty"` // by the agent, where a broker metered it
	Duration  time.Duration      `json:"duration,omitempty"`
	StartedAt time.Time          `json:"started_at,omitzero"`
	Commit    string             `json:"commit,omitempty"`
	Artifacts []core.Artifact    `json:"artifacts,omitempty"`
	Notes     []string           `json:"notes,omitempty"`    // what was unusual about what was handed in
	Rejected  []string           `json:"rejected,omitempty"` // what was handed in and not accepted
	Traffic   *core.Traffic      `json:"traffic,omitempty"`  // what it connected to; null if the network was open
	Resources *core.Consumption  `json:"resources,omitempty"`
}

// Disputed reports that the agent claims something else than its broker metered.
func (a Attempt) Disputed() bool { return a.Claimed != nil && a.Usage.Disputed(*a.Claimed) }

// Output is a piece of an attempt's transcript.
type Output struct {
	Records []Record `json:"records"`
	Next    int64    `json:"next"` // pass as after
	Done    bool     `json:"done"` // nothing follows
}

// Record is a transcript record.
type Record struct {
	N    int64     `json:"n"`
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Text string    `json:"text,omitempty"`
	Tool string    `json:"tool,omitempty"`
	// Input is what a tool was called with, shortened.
	Input   json.RawMessage `json:"input,omitempty"`
	Outcome string          `json:"outcome,omitempty" doc:"error or denied; empty for what went well"`
}

// DiffQuery narrows a diff.
type DiffQuery struct {
	Stage string `query:"stage" doc:"Only those of this stage's round"`
	Stat  bool   `query:"stat" doc:"A summary instead of the patch"`
}
