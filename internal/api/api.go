// Package api is what the engine offers to its clients: the types that cross
// the wire, the service behind them, and the HTTP handlers that connect the
// two. It must not decide anything; a handler translates and calls.
package api

import (
	"context"
	"errors"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ErrNoEngine is why there is no Service: nobody serves the state folder.
var ErrNoEngine = errors.New("no engine is running")

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
	Audit
	Transcripts
	Books
	Starts
	Library
	Health
	Engines

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
	// it can be done. It fails with CodeConflict if nothing waits for that.
	Mergeable(ctx context.Context, id string) (Mergeable, error)
	// Merge brings a run's pull request into its base branch, in the person's
	// repository. If they have the base checked out, it fails with CodeConflict and
	// says what to type; with FastForward it records their word, and their own git
	// moves the branch with its files.
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

// Backup names the file a backup is written to.
type Backup struct {
	Path string `json:"path"`
}
