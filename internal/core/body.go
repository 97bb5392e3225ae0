package core

import (
	"encoding/json"
	"time"
)

// Type names an event.
type Type string

// Body is what an event says. The set is sealed: a new body makes every
// incomplete switch over bodies fail the linter.
//
//sumtype:decl
type Body interface {
	Type() Type
	sealed()
}

// The events of a run.
const (
	TypeRunStarted           Type = "RunStarted"
	TypeConditionRequested   Type = "ConditionRequested"
	TypeConditionEvaluated   Type = "ConditionEvaluated"
	TypeStageOpened          Type = "StageOpened"
	TypeTeamReduced          Type = "TeamReduced"
	TypeTaskAdmitted         Type = "TaskAdmitted"
	TypeAttemptRequested     Type = "AttemptRequested"
	TypeClaimRefused         Type = "ClaimRefused"
	TypeClaimFreed           Type = "ClaimFreed"
	TypeAttemptStarted       Type = "AttemptStarted"
	TypeAttemptStopRequested Type = "AttemptStopRequested"
	TypeUsageObserved        Type = "UsageObserved"
	TypeAttemptExited        Type = "AttemptExited"
	TypeVerifyRequested      Type = "VerifyRequested"
	TypeVerifyConcluded      Type = "VerifyConcluded"
	TypeBranchMoved          Type = "BranchMoved"
	TypeApprovalRequested    Type = "ApprovalRequested"
	TypeApprovalGranted      Type = "ApprovalGranted"
	TypeFeedbackGiven        Type = "FeedbackGiven"
	TypeRolledBack           Type = "RolledBack"
	TypeRefKept              Type = "RefKept"
	TypeStagePassed          Type = "StagePassed"
	TypeStageSkipped         Type = "StageSkipped"
	TypeAttemptsReset        Type = "AttemptsReset"
	TypeTargetChosen         Type = "TargetChosen"
	TypeSessionTook          Type = "SessionTook"
	TypeWordGiven            Type = "WordGiven"
	TypePublishPrepared      Type = "PublishPrepared"
	TypePublishRequested     Type = "PublishRequested"
	TypePublishConcluded     Type = "PublishConcluded"
	TypeRunPaused            Type = "RunPaused"
	TypeRunResumed           Type = "RunResumed"
	TypeRunCompleted         Type = "RunCompleted"
	TypeRunFailed            Type = "RunFailed"
	TypeRunCancelled         Type = "RunCancelled"
	TypeTimerFired           Type = "TimerFired"
	TypeCommandRefused       Type = "CommandRefused"
	TypeRunSwept             Type = "RunSwept"
	TypePersonNotified       Type = "PersonNotified"
)

// The events of a project.
const (
	TypeProjectRegistered Type = "ProjectRegistered"
	TypeContentTrusted    Type = "ContentTrusted"
)

// RunStarted opens a run. It pins everything that must not change under it.
type RunStarted struct {
	Run        string     `json:"run"`
	Alias      string     `json:"alias"`
	Project    string     `json:"project"`
	Goal       string     `json:"goal"`
	Title      string     `json:"title"`
	Issue      string     `json:"issue,omitempty"`
	Playbook   Playbook   `json:"playbook"`
	Limits     Limits     `json:"limits"`
	Base       string     `json:"base"`        // branch the work starts from and returns to
	BaseCommit string     `json:"base_commit"` // its tip when the run started
	Branch     string     `json:"branch"`      // the run's own branch
	Remote     string     `json:"remote"`      // where the branch is published
	Forge      string     `json:"forge"`
	Isolation  string     `json:"isolation"` // sandbox, container, none
	Identity   Identity   `json:"identity"`
	Policy     *RunPolicy `json:"policy,omitempty"`
	Choices    Choices    `json:"choices"`
	Session    string     `json:"session,omitempty"` // the interactive session that starts its agents; none where empty
}

// RunPolicy is a standing instruction given at the start of a run.
type RunPolicy struct {
	Approve bool   `json:"approve"` // --yes
	By      string `json:"by,omitempty"`
}

// Identity is the author of commits.
type Identity struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// ConditionRequested asks for a phase's `when:` to be evaluated.
type ConditionRequested struct {
	Stage string `json:"stage"`
}

// ConditionEvaluated is the answer.
type ConditionEvaluated struct {
	Stage string `json:"stage"`
	Holds bool   `json:"holds"`
	Error string `json:"error,omitempty"`
}

// OpenReason says why a round of a stage begins.
type OpenReason string

const (
	OpenAdvance  OpenReason = "advance"  // its turn
	OpenRedo     OpenReason = "redo"     // an earlier stage was redone
	OpenFeedback OpenReason = "feedback" // a person wants changes to this stage
	OpenRollback OpenReason = "rollback" // findings of a later stage
	OpenMissing  OpenReason = "missing"  // a later stage lacks its output
)

// StageOpened begins a round of a stage. In a managed run it may name a stage
// that was not there before, with a branch of its own.
type StageOpened struct {
	Stage  string     `json:"stage"`
	Round  int        `json:"round"`
	Reason OpenReason `json:"reason"`
	Base   string     `json:"base"` // commit the round starts from
	Title  string     `json:"title,omitempty"`
	Branch string     `json:"branch,omitempty"`
	Wish   string     `json:"wish,omitempty"` // id of the change that somebody wants
}

// TaskAdmitted adds a task to a round.
type TaskAdmitted struct {
	Task      string        `json:"task"`
	Stage     string        `json:"stage"`
	Round     int           `json:"round"`
	Name      string        `json:"name,omitempty"`
	Kind      TaskKind      `json:"kind,omitempty"`
	Role      string        `json:"role,omitempty"`
	Prompt    string        `json:"prompt,omitempty"`
	Act       Act           `json:"act,omitempty"`
	Writes    Writes        `json:"writes"`
	Needs     []string      `json:"needs,omitempty"`
	Inputs    []Input       `json:"inputs,omitempty"`
	Outputs   []string      `json:"outputs,omitempty"`
	Done      Check         `json:"done"`
	DependsOn []string      `json:"depends_on,omitempty"`
	Attempts  int           `json:"attempts"`
	Timeout   time.Duration `json:"timeout"`
}

// TeamReduced gives up what specialists of a team could not deliver. One role
// does the round's work alone, with what the others handed in.
type TeamReduced struct {
	Stage   string   `json:"stage"`
	Round   int      `json:"round"`
	Role    string   `json:"role"`    // who goes on alone
	Dropped []string `json:"dropped"` // tasks that are given up
	Reason  string   `json:"reason"`
}

// AttemptRequested decides that a task is tried (again).
type AttemptRequested struct {
	Task    string `json:"task"`
	Attempt string `json:"attempt"`
	N       int    `json:"n"`
	Base    string `json:"base"` // commit the workspace starts from
}

// ClaimRefused records that a claim a decision needed is held by others.
type ClaimRefused struct {
	Task   string `json:"task"`
	Claim  Claim  `json:"claim"`
	Holder string `json:"holder,omitempty"`
}

// ClaimFreed tells a waiting run that it may try again.
type ClaimFreed struct {
	Claim Claim `json:"claim"`
}

// AttemptStarted records that the agent's process is running.
type AttemptStarted struct {
	Attempt   string `json:"attempt"`
	Agent     string `json:"agent"`
	Spawner   string `json:"spawner"`
	Isolation string `json:"isolation"`
	Prompt    string `json:"prompt,omitempty"` // digest of the prompt
	Session   string `json:"session,omitempty"`
}

// AttemptStopRequested asks for a running attempt to be ended.
type AttemptStopRequested struct {
	Attempt string `json:"attempt"`
	Reason  string `json:"reason"`
}

// UsageObserved says what a running attempt has consumed so far, where that
// reaches a limit of the run.
type UsageObserved struct {
	Attempt string `json:"attempt"`
	Usage   Usage  `json:"usage"`
}

// ExitKind says how an attempt ended. It is what Stellwerk saw, not what the
// agent claims.
type ExitKind string

const (
	ExitFinished  ExitKind = "finished"  // exit status 0
	ExitFailed    ExitKind = "failed"    // any other exit, or an error the agent reported
	ExitTimeout   ExitKind = "timeout"   // ended by Stellwerk at its time limit
	ExitCancelled ExitKind = "cancelled" // ended by Stellwerk on request
	ExitLost      ExitKind = "lost"      // no trace of how it ended
	ExitNoStart   ExitKind = "no_start"  // could not be started
)

// AttemptExited ends an attempt and records what it handed in.
type AttemptExited struct {
	Attempt    string        `json:"attempt"`
	Kind       ExitKind      `json:"kind"`
	Code       int           `json:"code,omitempty"`
	Class      string        `json:"class,omitempty"` // error class, see FailureClass
	Message    string        `json:"message,omitempty"`
	Summary    string        `json:"summary,omitempty"`  // the agent's own words: shown, never believed
	RetryAt    *time.Time    `json:"retry_at,omitempty"` // when a usage limit resets
	Usage      Usage         `json:"usage"`
	Duration   time.Duration `json:"duration,omitempty"`
	Transcript string        `json:"transcript,omitempty"` // digest
	Observed   bool          `json:"observed"`             // tool calls could be seen
	Delivery   *Delivery     `json:"delivery,omitempty"`
}

// Usage is what an attempt consumed.
type Usage struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	CacheTokens  int64   `json:"cache_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
}

// VerifyRequested asks for the checks of a delivery. Fresh forbids remembered
// verdicts.
type VerifyRequested struct {
	Task    string `json:"task"`
	Attempt string `json:"attempt"`
	Fresh   bool   `json:"fresh,omitempty"`
}

// VerifyConcluded is the outside verdict on a delivery.
type VerifyConcluded struct {
	Task     string         `json:"task"`
	Attempt  string         `json:"attempt"`
	Passed   bool           `json:"passed"`
	Results  []CheckResult  `json:"results,omitempty"`
	Review   *Review        `json:"review,omitempty"`
	Skips    []SkipProposal `json:"skips,omitempty"`   // what a plan proposes to leave out
	Touches  bool           `json:"touches,omitempty"` // what was changed is among what the playbook wants reviewed
	Duration time.Duration  `json:"duration,omitempty"`
	Error    string         `json:"error,omitempty"` // the checks could not be run at all
}

// CheckResult is the outcome of one check of a delivery.
type CheckResult struct {
	Check   string        `json:"check"` // as a person wrote it: "command: go test ./..."
	Kind    CheckKind     `json:"kind"`
	Passed  bool          `json:"passed"`
	Detail  string        `json:"detail,omitempty"` // what was there, or the tail of the output
	Output  string        `json:"output,omitempty"` // digest of the whole output
	Reused  bool          `json:"reused,omitempty"` // a remembered verdict
	Elapsed time.Duration `json:"elapsed,omitempty"`
}

// Review is what a reviewer's artifact says, validated.
type Review struct {
	Status   ReviewStatus `json:"status"`
	Findings []Finding    `json:"findings,omitempty"`
	Reason   string       `json:"reason,omitempty"` // of a rejection
}

// ReviewStatus is a reviewer's verdict.
type ReviewStatus string

const (
	ReviewApproved         ReviewStatus = "approved"
	ReviewChangesRequested ReviewStatus = "changes_requested"
	ReviewRejected         ReviewStatus = "rejected" // the whole approach is wrong
)

// Finding is one change a review requests. Target is the stage that the
// playbook's map sends it to.
type Finding struct {
	Type     string `json:"type,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity,omitempty"`
	Issue    string `json:"issue"`
	Target   string `json:"target,omitempty"`
}

// BranchMoved records that the yard's ref follows the run's head.
type BranchMoved struct {
	Ref string `json:"ref"`
	Old string `json:"old,omitempty"`
	New string `json:"new"`
}

// Subject is what an approval speaks of. Any change to it lapses the approval.
type Subject struct {
	Stage    string `json:"stage"`
	Round    int    `json:"round"`
	Delivery string `json:"delivery"` // digest over commits and artifacts
	Commit   string `json:"commit,omitempty"`
	Remote   string `json:"remote,omitempty"`
	Ref      string `json:"ref,omitempty"`
	OldTip   string `json:"old_tip,omitempty"`
	Base     string `json:"base,omitempty"`
}

// ApprovalRequested opens a gate for a person.
type ApprovalRequested struct {
	Subject    Subject        `json:"subject"`
	Suggestion string         `json:"suggestion,omitempty"` // stage to roll back to
	Findings   []Finding      `json:"findings,omitempty"`
	Notices    []string       `json:"notices,omitempty"` // protected paths touched, unenforced isolation
	Skips      []SkipProposal `json:"skips,omitempty"`   // stages that the approval leaves out
}

// ApprovalGranted is a person's explicit word, or a policy recorded as such.
type ApprovalGranted struct {
	Subject Subject `json:"subject"`
	Comment string  `json:"comment,omitempty"`
}

// FeedbackGiven opens a new round of the stage at the gate.
type FeedbackGiven struct {
	Stage string `json:"stage"`
	Text  string `json:"text"`
	Reset bool   `json:"reset,omitempty"`
}

// RolledBack sends the run back to an earlier stage.
type RolledBack struct {
	From     string    `json:"from"`
	Target   string    `json:"target"`
	Text     string    `json:"text,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Reset    bool      `json:"reset,omitempty"`
	Auto     bool      `json:"auto,omitempty"`
}

// RefKept records that abandoned work is held under a ref.
type RefKept struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
	Reason string `json:"reason"`
}

// StagePassed closes a stage's round.
type StagePassed struct {
	Stage  string `json:"stage"`
	Round  int    `json:"round"`
	Commit string `json:"commit"`
}

// SkipSource says on whose word a stage was skipped.
type SkipSource string

const (
	SkipPlaybook SkipSource = "playbook"
	SkipWhen     SkipSource = "when"
	SkipPerson   SkipSource = "person"
	SkipPlan     SkipSource = "plan" // a plan that was approved
)

// StageSkipped passes over a stage.
type StageSkipped struct {
	Stage  string     `json:"stage"`
	Source SkipSource `json:"source"`
	Reason string     `json:"reason,omitempty"`
	Plan   string     `json:"plan,omitempty"` // id of the event that asked for the plan's approval
}

// AttemptsReset gives a stage's current round its attempts back.
type AttemptsReset struct {
	Stage string `json:"stage"`
}

// TargetChosen names another branch for the pull request to go to. What was
// prepared for the old one is prepared anew.
type TargetChosen struct {
	Base string `json:"base"`
}

// SessionTook makes an interactive session the one that starts the run's
// agents. An empty session gives that back to the engine.
type SessionTook struct {
	Session string `json:"session,omitempty"`
}

// WordGiven records what a person said in the session that owns the run. Only
// an explicit word means something; anything else is a message.
type WordGiven struct {
	Session string   `json:"session"`
	Means   Meaning  `json:"means,omitempty"`
	Text    string   `json:"text"`
	Subject *Subject `json:"subject,omitempty"` // of the gate that stood open
}

// PublishPrepared says what would be published, and that it was verified
// again without memory.
type PublishPrepared struct {
	Task    string        `json:"task"`
	Subject Subject       `json:"subject"`
	Passed  bool          `json:"passed"`
	Results []CheckResult `json:"results,omitempty"`
	Notices []string      `json:"notices,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// PublishRequested decides that the approved commit is published.
type PublishRequested struct {
	Task    string  `json:"task"`
	Subject Subject `json:"subject"`
	Title   string  `json:"title"`
}

// PublishConcluded records what publishing led to.
type PublishConcluded struct {
	Task   string `json:"task"`
	OK     bool   `json:"ok"`
	URL    string `json:"url,omitempty"`
	Number int    `json:"number,omitempty"`
	Reason string `json:"reason,omitempty"`
	Lapsed bool   `json:"lapsed,omitempty"` // the remote moved: the approval is void
}

// PauseCode says why a run waits.
type PauseCode string

const (
	PausePerson    PauseCode = "person"    // a person asked for it
	PauseAttempts  PauseCode = "attempts"  // the round's attempts are used up
	PauseInfra     PauseCode = "infra"     // too many losses to infrastructure
	PauseSterile   PauseCode = "loop"      // decisions without progress
	PauseWall      PauseCode = "wall_time" // the run's time is used up
	PauseBudget    PauseCode = "budget"    // money or tokens are used up
	PauseInput     PauseCode = "input"     // a required input cannot be had
	PauseAction    PauseCode = "action"    // what was decided cannot be done
	PausePublish   PauseCode = "publish"   // publishing failed
	PauseCondition PauseCode = "condition" // a `when:` could not be evaluated
	PauseUnlawful  PauseCode = "unlawful"  // the decider proposed what the law refuses
)

// RunPaused stops a run until somebody acts.
type RunPaused struct {
	Stop   bool      `json:"stop,omitempty"` // running attempts are ended, too
	Code   PauseCode `json:"code"`
	Stage  string    `json:"stage,omitempty"`
	Reason string    `json:"reason"`
	Next   string    `json:"next,omitempty"` // what the person can do
}

// RunResumed lets a paused run go on.
type RunResumed struct {
	Note   string  `json:"note,omitempty"`
	Limits *Limits `json:"limits,omitempty"` // raised by the person
}

// RunCompleted ends a run whose stages have all passed or were skipped.
type RunCompleted struct{}

// RunFailed ends a run that cannot go on.
type RunFailed struct {
	Reason string `json:"reason"`
}

// RunCancelled ends a run on a person's word.
type RunCancelled struct {
	Reason string `json:"reason,omitempty"`
}

// TimerFired brings the time into a run.
type TimerFired struct {
	Timer string `json:"timer"`
}

// CommandRefused records an input that the law or a precondition refused.
type CommandRefused struct {
	Command string `json:"command"`
	Reason  string `json:"reason"`
}

// PersonNotified records that somebody was told of what waits for them.
type PersonNotified struct {
	Event string `json:"event"` // id of the event they were told of
}

// RunSwept records that the working folders of a run that is over are gone.
// Everything that was in them is in the yard and among the blobs.
type RunSwept struct{}

// ProjectRegistered puts a repository under Stellwerk.
type ProjectRegistered struct {
	Project string `json:"project"`
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"` // canonical git common directory
	URL     string `json:"url,omitempty"`
}

// ContentTrusted records that a person trusts repository content by its hash.
type ContentTrusted struct {
	Hash string `json:"hash"`
	What string `json:"what"`
}

// Context is what agents reported, merged over the stages that hold.
type Context = json.RawMessage
