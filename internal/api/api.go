// Package api is what the engine offers to its clients: the types that cross
// the wire, the service behind them, and the HTTP handlers that connect the
// two. It must not decide anything; a handler translates and calls.
package api

import (
	"context"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Service is the engine as its clients see it. Every method may be called
// concurrently. Errors are core errors; the handlers turn their codes into
// statuses. Who asks is taken from the context (see Caller).
type Service interface {
	Sessions
	Tools
	Conversation
	ProjectCommands
	Knowledge
	Views
	Access
	Operations
	Transcripts
	Books
	Library
	Health

	// StartRun begins a run in a repository. It fails with CodeUntrusted where
	// the repository's playbook was not trusted yet and the request does not
	// trust it, and with CodeConflict where another run holds the branch. A goal
	// for a project that a run drives already is queued: the answer then has an
	// Epic, and the status "queued".
	StartRun(ctx context.Context, req StartRun) (Run, error)
	// Runs lists runs, the newest first.
	Runs(ctx context.Context, q RunQuery) ([]Run, error)
	// Run finds a run by id, alias, or unique prefix of either.
	Run(ctx context.Context, id string) (RunDetail, error)
	// Events reads the run's history after a sequence number.
	Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error)
	// Follow calls fn with each event after a sequence number, as it happens,
	// until the context ends or fn fails. It ends by itself after the event that
	// ends the run.
	Follow(ctx context.Context, id string, after int64, fn func(core.Event) error) error
	// Output reads transcript records of an attempt after a record number.
	Output(ctx context.Context, id, attempt string, after int64) (Output, error)
	// Effects lists the calls of tools by a run's agents, as far as they could be
	// seen, those of attempts under way among them.
	Effects(ctx context.Context, id string, q EffectQuery) (Effects, error)

	Approve(ctx context.Context, id string, req Approve) (Run, error)
	Feedback(ctx context.Context, id string, req Feedback) (Run, error)
	Rollback(ctx context.Context, id string, req Rollback) (Run, error)
	Skip(ctx context.Context, id string, req Skip) (Run, error)
	Retry(ctx context.Context, id string, req Retry) (Run, error)
	Pause(ctx context.Context, id string, req Pause) (Run, error)
	Resume(ctx context.Context, id string, req Resume) (Run, error)
	Cancel(ctx context.Context, id string, req Cancel) (Run, error)
	// Mergeable says what merging a run's pull request here would do, and whether
	// it can be done. It fails with CodeConflict where nothing waits for that.
	Mergeable(ctx context.Context, id string) (Mergeable, error)
	// Merge brings a run's pull request into its base branch, in the person's
	// repository. What they have checked out is never touched: where the base is,
	// it fails with CodeConflict and says what to type.
	Merge(ctx context.Context, id string, req Merge) (Run, error)
	// Swap lets another playbook drive a project's run.
	Swap(ctx context.Context, id string, req Swap) (Run, error)

	// Diff writes the difference between the run's base and its newest work, or
	// that of one stage's round.
	Diff(ctx context.Context, id string, q DiffQuery, w io.Writer) error
	// Artifact writes the newest valid artifact of a name.
	Artifact(ctx context.Context, id, name string, w io.Writer) error
	// Inbox lists what waits for a person in all projects, the oldest first.
	Inbox(ctx context.Context) ([]Waiting, error)
	// Limits says what was used and what is left: of the engine, and of the run
	// or project that q names or of the projects that it leaves open.
	Limits(ctx context.Context, q LimitsQuery) ([]Account, error)

	// Trust looks at the content of a repository that would be obeyed, and
	// records a person's trust in it where Confirm is the hash they were shown.
	Trust(ctx context.Context, req Trust) (Trusted, error)
	// Import rebuilds a run from its folder.
	Import(ctx context.Context, req Import) (Imported, error)
	Replay(ctx context.Context, id string) (Replay, error)
	Backup(ctx context.Context, path string) error
	Info(ctx context.Context) (Info, error)
}

// StartRun asks for a run.
type StartRun struct {
	Dir       string `json:"dir"`               // in the person's repository
	Project   string `json:"project,omitempty"` // name or key, instead of the repository in Dir
	Goal      string `json:"goal"`
	Title     string `json:"title,omitempty"`
	Issue     string `json:"issue,omitempty"`
	Playbook  string `json:"playbook,omitempty"` // name, or path inside the repository or outside of it
	Base      string `json:"base,omitempty"`
	Branch    string `json:"branch,omitempty"`
	Yes       bool   `json:"yes,omitempty"`
	Trust     bool   `json:"trust,omitempty"`
	Isolation string `json:"isolation,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Forge     string `json:"forge,omitempty"`  // local, or the one that the settings name
	Remote    string `json:"remote,omitempty"` // name of a git remote
	// Repository is owner/name on the forge, where the remote does not tell.
	Repository string       `json:"repository,omitempty"`
	Limits     *core.Limits `json:"limits,omitempty"` // zero fields are not set
	Choices    core.Choices `json:"choices"`
	// Session is the interactive session that is to start the run's agents.
	Session string `json:"session,omitempty"`
	// NoQueue refuses a goal whose project is driven by a run already.
	NoQueue bool `json:"no_queue,omitempty"`
}

// The statuses of a run that has not begun: its epic waits, or could not be
// started.
const (
	StatusQueued  = "queued"
	StatusRefused = "refused"
)

// Run is a run in a list.
type Run struct {
	ID         string     `json:"id"`
	Alias      string     `json:"alias"`
	Project    string     `json:"project"`
	Title      string     `json:"title"`
	Issue      string     `json:"issue,omitempty"`
	Kind       string     `json:"kind,omitempty"` // of the playbook, while it is open
	Status     string     `json:"status"`
	Reason     string     `json:"reason"`
	Next       string     `json:"next,omitempty"`   // what a person can type now
	Halted     bool       `json:"halted,omitempty"` // paused, and what was under way is stopped
	Stage      string     `json:"stage"`
	Attempts   int        `json:"attempts"`
	CostUSD    float64    `json:"cost_usd"`
	Tokens     int64      `json:"tokens"`
	Branch     string     `json:"branch"`
	Base       string     `json:"base"`
	URL        string     `json:"url,omitempty"`         // of the pull request
	CI         string     `json:"ci,omitempty"`          // what the forge's own checks say of it
	Preview    string     `json:"preview,omitempty"`     // link to a preview deployment
	MergesHere bool       `json:"merges_here,omitempty"` // it waits to be merged, which `merge` does
	MergedBy   string     `json:"merged_by,omitempty"`   // who had it merged here
	Merge      string     `json:"merge,omitempty"`       // the commit by which that was done
	Isolation  string     `json:"isolation"`             // "none" is shown as unenforced
	Session    string     `json:"session,omitempty"`     // that starts its agents
	StartedAt  time.Time  `json:"started_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	Seq        int64      `json:"seq"`
	Warnings   []string   `json:"warnings,omitempty"` // of the start
	Epic       *Epic      `json:"epic,omitempty"`     // it waits in, where it has not begun
}

// RunQuery narrows a list of runs.
type RunQuery struct {
	Dir     string `json:"dir,omitempty"`
	Project string `json:"project,omitempty"` // name or key
	Open    bool   `json:"open,omitempty"`
	Status  string `json:"status,omitempty"` // only those of this status
	Before  string `json:"before,omitempty"` // id or alias of a run; only those that come after it in the list
	Limit   int    `json:"limit,omitempty"`  // at most so many; all where 0
}

// RunDetail is a run with its stages.
type RunDetail struct {
	Run
	Goal     string `json:"goal"`
	Playbook string `json:"playbook"`
	// Choices were made when the run started.
	Choices core.Choices `json:"choices"`
	Head    string       `json:"head"`
	Stages  []Stage      `json:"stages"`
	Gate    *core.Gate   `json:"gate,omitempty"`  // what waits for an approval
	Pause   *core.Pause  `json:"pause,omitempty"` // why it is paused, and for which stage
	Folder  string       `json:"folder"`
	Manager *Manager     `json:"manager,omitempty"` // where one drives the run
	Waves   *Waves       `json:"waves,omitempty"`   // where its work is delegated in waves
	Onward  bool         `json:"onward,omitempty"`  // it drives a project, which does not go back to a stage
	// Opaque are the agents whose tool calls and consumption cannot be seen, and
	// who cannot be kept to their roles' tools.
	Opaque []string `json:"opaque,omitempty"`
}

// Stage is a stage of a run.
type Stage struct {
	ID     string `json:"id"`
	Branch string `json:"branch,omitempty"`
	Title  string `json:"title,omitempty"`
	Status string `json:"status"`
	Skip   string `json:"skip,omitempty"` // on whose word it was skipped
	Round  int    `json:"round"`
	Gate   string `json:"gate"`
	Tasks  []Task `json:"tasks,omitempty"`
	// After are the stages that one with a branch of its own comes after.
	After []string `json:"after,omitempty"`
}

// Task is a task of a stage's current round.
type Task struct {
	ID        string    `json:"id"`
	Name      string    `json:"name,omitempty"` // what it is called where its stage has several
	Kind      string    `json:"kind,omitempty"`
	Role      string    `json:"role,omitempty"`
	Prompt    string    `json:"prompt,omitempty"` // what is to be done, in the words of who asked for it
	Act       string    `json:"act,omitempty"`    // what the engine itself does; such a task has no attempts
	Status    string    `json:"status"`
	Blocked   string    `json:"blocked,omitempty"`
	NotBefore time.Time `json:"not_before,omitzero"` // of the next attempt
	Checks    []string  `json:"checks,omitempty"`    // what a delivery is held to
	Limit     int       `json:"limit"`
	Counted   int       `json:"counted"`
	Attempts  []Attempt `json:"attempts,omitempty"`
}

// Attempt is an attempt of a task.
type Attempt struct {
	ID        string             `json:"id"`
	N         int                `json:"n"`
	Status    string             `json:"status"`
	Agent     string             `json:"agent,omitempty"`
	Exit      string             `json:"exit,omitempty"`
	Message   string             `json:"message,omitempty"`
	Summary   string             `json:"summary,omitempty"`
	Verdict   string             `json:"verdict,omitempty"`
	Results   []core.CheckResult `json:"results,omitempty"`
	Usage     core.Usage         `json:"usage"`
	Duration  time.Duration      `json:"duration,omitempty"`
	StartedAt time.Time          `json:"started_at,omitzero"`
	Commit    string             `json:"commit,omitempty"`
	Artifacts []core.Artifact    `json:"artifacts,omitempty"`
	Notes     []string           `json:"notes,omitempty"`    // what was unusual about what was handed in
	Rejected  []string           `json:"rejected,omitempty"` // what was handed in and not accepted
}

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
}

// Approve approves what waits. Subject is what the person was shown, and must be
// what is there now.
type Approve struct {
	Subject *core.Subject `json:"subject,omitempty" doc:"What you were shown: the subject of the run's gate; required"`
	Comment string        `json:"comment,omitempty"`
	// Base, where it differs from what was prepared, chooses another branch for
	// the pull request. That is then prepared anew and asked about again.
	Base string `json:"base,omitempty"`
}

// Feedback sends the current stage back with a person's words. Subject, where
// given, must be what waits now.
type Feedback struct {
	Subject *core.Subject `json:"subject,omitempty"`
	Text    string        `json:"text"`
	Reset   bool          `json:"reset,omitempty"`
}

// Rollback sends the run back to a stage; an empty target takes the suggestion.
// Subject, where given, must be what waits now.
type Rollback struct {
	Subject *core.Subject `json:"subject,omitempty"`
	To      string        `json:"to,omitempty"`
	Text    string        `json:"text,omitempty"`
	Reset   bool          `json:"reset,omitempty"`
}

// Skip passes over the current stage.
type Skip struct {
	Stage  string `json:"stage,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Retry gives the current stage its attempts back.
type Retry struct{}

// Swap names the playbook that takes a project over.
type Swap struct {
	Dir      string `json:"dir,omitempty"` // that a path is relative to
	Playbook string `json:"playbook"`      // name, or path
	Trust    bool   `json:"trust,omitempty"`
}

// Pause stops the run; Stop ends what is running, too.
type Pause struct {
	Reason string `json:"reason,omitempty"`
	Stop   bool   `json:"stop,omitempty"`
}

// Resume lets a paused run go on, with raised limits where given.
type Resume struct {
	// Session, where given, takes the run over: an interactive session, or the
	// engine itself where it is empty.
	Session *string `json:"session,omitempty"`

	MaxCostUSD float64 `json:"max_cost_usd,omitempty" exclusiveMinimum:"0"`
	MaxTokens  int64   `json:"max_tokens,omitempty" exclusiveMinimum:"0"`

	// Of what all runs of the project may use together, for this run.
	MaxProjectCostUSD  float64       `json:"max_project_cost_usd,omitempty" exclusiveMinimum:"0"`
	MaxProjectTokens   int64         `json:"max_project_tokens,omitempty" exclusiveMinimum:"0"`
	MaxProjectTime     time.Duration `json:"max_project_time,omitempty" exclusiveMinimum:"0" doc:"In nanoseconds"`
	MaxProjectAttempts int           `json:"max_project_attempts,omitempty" exclusiveMinimum:"0"`
}

// Cancel ends the run.
type Cancel struct {
	Reason string `json:"reason,omitempty"`
}

// DiffQuery narrows a diff.
type DiffQuery struct {
	Stage string `json:"stage,omitempty"`
	Stat  bool   `json:"stat,omitempty"`
}

// What waits for a person.
const (
	WaitApproval = "approval"
	WaitPause    = "pause"
	WaitReview   = "review"
	WaitQuestion = "question"
	WaitEpic     = "epic" // of a queue, that could not be started

	WaitUnreadable = "unreadable" // a run whose history is damaged, or of a newer version
)

// Waiting is something that waits for a person.
type Waiting struct {
	Kind    string      `json:"kind" doc:"approval, pause, review, question, epic or unreadable"`
	Since   time.Time   `json:"since"`
	Project string      `json:"project" doc:"The project's name"`
	Reason  string      `json:"reason" doc:"What is asked of the person"`
	Next    string      `json:"next" doc:"What they can type"`
	Run     Run         `json:"run"`
	Gate    *core.Gate  `json:"gate,omitempty"`
	Pause   *core.Pause `json:"pause,omitempty"`
	// Question, where set, is what the run's manager asks.
	Question *Question `json:"question,omitempty"`
	Epic     *Epic     `json:"epic,omitempty"` // that could not be started; its run has not begun
}

// LimitsQuery says of what the limits are asked for.
type LimitsQuery struct {
	Of  string `json:"of,omitempty"`  // a run or a project: id, alias or name
	Dir string `json:"dir,omitempty"` // otherwise the project of the repository here; all where it is none
}

// Who has limits.
const (
	ScopeEngine  = "engine"
	ScopeProject = "project"
	ScopeRun     = "run"
)

// Account is what one of them may use.
type Account struct {
	Scope      string      `json:"scope" doc:"engine, project or run"`
	ID         string      `json:"id,omitempty"`
	Name       string      `json:"name,omitempty"`
	Status     string      `json:"status,omitempty"`
	Allowances []Allowance `json:"allowances"`
	// Opaque are agents of a run that do not say what they use.
	Opaque []string `json:"opaque,omitempty"`
}

// What is limited.
const (
	LimitCost     = "cost_usd"
	LimitTokens   = "tokens"
	LimitWallTime = "wall_time"
	LimitAttempts = "attempts"
	LimitParallel = "parallel"
)

// Allowance is what was used of something, and what is left.
type Allowance struct {
	Kind  string   `json:"kind" doc:"cost_usd, tokens, wall_time (in seconds), attempts or parallel"`
	Used  float64  `json:"used"`
	Limit *float64 `json:"limit,omitempty" doc:"Absent where there is no limit"`
	Left  *float64 `json:"left,omitempty"`
}

// AccountList is a list of accounts.
type AccountList struct {
	Accounts []Account `json:"accounts"`
}

// Trust asks about, or confirms, a repository's content.
type Trust struct {
	Dir      string `json:"dir"`
	Project  string `json:"project,omitempty"` // name or key, instead of the repository in Dir
	Playbook string `json:"playbook,omitempty"`
	Base     string `json:"base,omitempty"`
	Forge    string `json:"forge,omitempty"`
	Remote   string `json:"remote,omitempty"`
	Confirm  string `json:"confirm,omitempty"`
}

// Trusted is what would be obeyed.
type Trusted struct {
	Hash    string   `json:"hash"`
	Files   []string `json:"files"`
	Content string   `json:"content"` // what a person should read before they agree
	Trusted bool     `json:"trusted"`
}

// Import names a run folder.
type Import struct {
	Folder string `json:"folder"`
	Trust  bool   `json:"trust,omitempty"` // obey a history from elsewhere
}

// Imported is what rebuilding a run from its folder did.
type Imported struct {
	Run    Run    `json:"run"`
	Events int    `json:"events"` // taken over
	Torn   string `json:"torn,omitempty"`
}

// Replay is the outcome of deriving a run again from its events.
type Replay struct {
	Events     int    `json:"events"`
	StateEqual bool   `json:"state_equal"`
	Decisions  int    `json:"decisions"` // re-derived
	Other      int    `json:"other"`     // by other versions, not re-derived
	Difference string `json:"difference,omitempty"`
}

// Info is the engine itself.
type Info struct {
	Version   string `json:"version"`
	State     string `json:"state"`
	PID       int    `json:"pid"`
	Isolation string `json:"isolation"` // the strongest available
	Reason    string `json:"reason,omitempty"`
	Runs      int    `json:"runs"` // open ones
}

// Caller is who asks.
type Caller struct {
	Actor core.Actor
	// Inside are the interactive sessions that the caller's process was started
	// in, whatever it says about itself.
	Inside []string
	// Run is the only one that the caller may speak to; any where empty.
	Run string
	// Role is what the caller may do, see Guard.
	Role Role
	// Token is the id of the token by which the caller came, themselves or to sign
	// in; empty for the owner.
	Token string
}

type callerKey struct{}

// WithCaller notes who asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is who asks; the zero Caller, which may do nothing, where unknown.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
