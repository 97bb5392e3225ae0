package api

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

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
	Network   string `json:"network,omitempty"` // open, listed or none
	Agent     string `json:"agent,omitempty"`
	Forge     string `json:"forge,omitempty"`  // local, or the one that the settings name
	Remote    string `json:"remote,omitempty"` // name of a git remote
	// Repository is owner/name on the forge, if the remote does not tell.
	Repository string       `json:"repository,omitempty"`
	Limits     *core.Limits `json:"limits,omitempty"` // zero fields are not set
	Options    core.Options `json:"choices"`
	// Session is the interactive session that is to start the run's agents.
	Session string `json:"session,omitempty"`
	// Preflight is how long the checks may be tried before the run begins, such
	// as 2m, or "off" to begin without any look; empty for what is set.
	Preflight string `json:"preflight,omitempty"`
	// Ticket is a word of the client's own by which it can ask what the
	// preflight is at; see Starts.
	Ticket string `json:"ticket,omitempty" maxLength:"64"`
	// NoQueue refuses a goal whose project is driven by a run already.
	NoQueue bool `json:"no_queue,omitempty"`
	// Conversation is where the goal is said, by its id; the project's first where
	// empty.
	Conversation string `json:"-"`
	// ID is the run's, for a caller that may ask twice: it gets what came of the
	// first request. A new one is made if it is empty.
	ID string `json:"-"`
}

// Approve approves what waits. Subject is what the person was shown, and must be
// what is there now.
type Approve struct {
	Subject *core.Subject `json:"subject,omitempty" doc:"What you were shown: the subject of the run's gate; required"`
	Comment string        `json:"comment,omitempty"`
	// Base, if it differs from what was prepared, chooses another branch for
	// the pull request. That is then prepared anew and asked about again.
	Base string `json:"base,omitempty"`
	// WithSecrets says that the places which look like secrets, the gate's leaks,
	// are published all the same. It holds for this delivery alone.
	WithSecrets bool `json:"with_secrets,omitempty" doc:"Publish although the gate names places that look like secrets; for exactly this delivery"`
}

// Feedback sends the current stage back with a person's words. Subject, where
// given, must be what waits now.
type Feedback struct {
	Subject *core.Subject `json:"subject,omitempty"`
	Text    string        `json:"text"`
	Reset   bool          `json:"reset,omitempty"`
}

// Rollback sends the run back to a stage; an empty target takes the suggestion.
// Subject, if given, must be what waits now.
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

// Retry gives the current stage its attempts back, with raised limits of each
// attempt if given.
type Retry struct {
	MaxAttemptCostUSD float64 `json:"max_attempt_cost_usd,omitempty" exclusiveMinimum:"0"`
	MaxAttemptTokens  int64   `json:"max_attempt_tokens,omitempty" exclusiveMinimum:"0"`
}

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

// Resume lets a paused run go on, with raised limits if given.
type Resume struct {
	// Session, if given, takes the run over: an interactive session, or the
	// engine itself if it is empty.
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
