package core

import "time"

// Type names an event.
type Type string

// Body is what an event says. The set is sealed: a new body makes every
// incomplete switch over bodies fail the linter.
//
//sumtype:decl
type Body interface {
	event() Type
}

// TypeOf is the type of the event that says body.
func TypeOf(body Body) Type { return body.event() }

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
	TypeProjectSpent         Type = "ProjectSpent"
	TypeAllowanceReserved    Type = "AllowanceReserved"
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

// RunStarted opens a run. It pins everything that must not change under it; the run's
// state begins as a copy of it.
type RunStarted struct {
	Run        string   `json:"run"`
	Alias      string   `json:"alias"`
	Project    string   `json:"project"`
	Goal       string   `json:"goal"`
	Title      string   `json:"title"`
	Issue      string   `json:"issue,omitempty"`
	Playbook   Playbook `json:"playbook"`
	Limits     Limits   `json:"limits"`
	Base       string   `json:"base"`        // branch the work starts from and returns to
	BaseCommit string   `json:"base_commit"` // its tip when the run started
	// BaseAt is the repository on this machine that stands for BaseCommit as long as it is there, BasePack the pack that holds
	// it, or what of it BaseAt does not have. BaseRests are packs of earlier runs that BasePack rests on, each after those that it
	// rests on itself.
	BaseAt     string     `json:"base_at,omitempty"`
	BasePack   string     `json:"base_pack,omitempty"`
	BaseRests  []string   `json:"base_rests,omitempty"`
	Branch     string     `json:"branch"` // the run's own branch
	Remote     string     `json:"remote"` // where the branch is published
	Forge      string     `json:"forge"`
	ForgeURL   string     `json:"forge_url,omitempty"`  // of a forge that is asked over HTTP
	Repository string     `json:"repository,omitempty"` // owner/name on it, if that was named
	Home       string     `json:"home,omitempty"`       // the person's repository, if Remote is another
	Isolation  string     `json:"isolation"`            // sandbox, container, none
	Identity   Identity   `json:"identity"`
	Policy     *RunPolicy `json:"policy,omitempty"`
	Options    Options    `json:"choices"`
	Session    string     `json:"session,omitempty"` // the interactive session that starts its agents; none if empty
	// Conversation is where its goal was said; the project's first if empty.
	Conversation string     `json:"conversation,omitempty"`
	Epic         string     `json:"epic,omitempty"` // of the project's queue that it is the run of
	Preflight    *Preflight `json:"preflight,omitempty"`
	Network      *Network   `json:"network,omitempty"`
	Resources    Resources  `json:"resources,omitzero"`
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
	OpenWoken    OpenReason = "woken"    // something happened that the manager is to see
	OpenWatchdog OpenReason = "watchdog" // nothing happened for a long time
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
	// VerifyFirst has the run's branch looked at before anybody is started.
	VerifyFirst bool `json:"verify_first,omitempty"`
	// Delegation is the proposal that this admits; "" if nobody proposed it.
	Delegation string `json:"delegation,omitempty"`
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
	// Reserve is what the attempt may spend before it asks for more; nil if nothing limits it.
	Reserve *Amount `json:"reserve,omitempty"`
}

// ClaimRefused records that an attempt has to wait: the claim names the pool of
// which it found no slot. It waits in the store's queue until ClaimFreed.
type ClaimRefused struct {
	Task   string `json:"task"`
	Claim  Claim  `json:"claim"`
	Holder string `json:"holder,omitempty"`
}

// ClaimFreed records that an attempt was handed the slots it waited for. Before
// version 2 it named no task and told every one that waited for the claim to try
// again.
type ClaimFreed struct {
	Task  string `json:"task,omitempty"`
	Claim Claim  `json:"claim"`
}

// AttemptStarted records that the agent's process is running.
type AttemptStarted struct {
	Attempt   string `json:"attempt"`
	Agent     string `json:"agent"`
	Spawner   string `json:"spawner"`
	Isolation string `json:"isolation"`
	Prompt    string `json:"prompt,omitempty"` // digest of the prompt
	Session   string `json:"session,omitempty"`
	// Brokered says that a broker lets the attempt spend only what is reserved, and meters it.
	Brokered bool `json:"brokered,omitempty"`
}

// AttemptStopRequested asks for a running attempt to be ended.
type AttemptStopRequested struct {
	Attempt string `json:"attempt"`
	Reason  string `json:"reason"`
}

// UsageObserved says what a running attempt of a run with limits has consumed so
// far, and what it wants reserved.
type UsageObserved struct {
	Attempt string `json:"attempt"`
	Usage   Usage  `json:"usage"`             // as its agent claims
	Metered *Usage `json:"metered,omitempty"` // by its broker
	Wants   *Want  `json:"wants,omitempty"`
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

// AttemptExited ends an attempt and records what it handed in. It is the third form
// of an outcome, each made from the one before: agent.Outcome is what the agent's
// program claims, shim.Exit is what its supervisor saw, in a file of the attempt that
// outlives the engine, and this is what the engine made of both, kept for good.
type AttemptExited struct {
	Attempt    string        `json:"attempt"`
	Kind       ExitKind      `json:"kind"`
	Code       int           `json:"code,omitempty"`
	Class      string        `json:"class,omitempty"` // error class, see FailureClass
	Message    string        `json:"message,omitempty"`
	Summary    string        `json:"summary,omitempty"`  // the agent's own words: shown, never believed
	RetryAt    *time.Time    `json:"retry_at,omitempty"` // when a usage limit resets
	Usage      Usage         `json:"usage"`              // as its agent claims
	Metered    *Usage        `json:"metered,omitempty"`  // by its broker; nil if it had none
	Duration   time.Duration `json:"duration,omitempty"`
	Transcript string        `json:"transcript,omitempty"` // digest
	Observed   bool          `json:"observed"`             // tool calls could be seen
	Delivery   *Delivery     `json:"delivery,omitempty"`
	// Hopeless says that trying again fails in the same way until a person has put something right: a program or a credential
	// is missing. It says nothing about the work.
	Hopeless bool `json:"hopeless,omitempty"`
	// Traffic is nil if nobody looked: the network was open.
	Traffic *Traffic `json:"traffic,omitempty"`
	// Resources is what it took of the machine; nil if nothing bounded it.
	Resources *Consumption `json:"resources,omitempty"`
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
	Task     string           `json:"task"`
	Attempt  string           `json:"attempt"`
	Passed   bool             `json:"passed"`
	Results  []CheckResult    `json:"results,omitempty"`
	Review   *Review          `json:"review,omitempty"`
	Skips    []SkipProposal   `json:"skips,omitempty"`   // what a plan proposes to leave out
	Touches  bool             `json:"touches,omitempty"` // what was changed is among what the playbook wants reviewed
	Output   *WorkerOutput    `json:"output,omitempty"`  // a worker's answer, if the run goes in waves
	Touched  []string         `json:"touched,omitempty"` // files that such a worker changed
	Decision *PlannerDecision `json:"decision,omitempty"`
	Duration time.Duration    `json:"duration,omitempty"`
	Error    string           `json:"error,omitempty"` // the checks could not be run at all
}

// CheckResult is the outcome of one check of a delivery.
type CheckResult struct {
	Check   string        `json:"check"` // as a person wrote it: "command: go test ./..."
	Kind    CheckKind     `json:"kind"`
	Passed  bool          `json:"passed"`
	Detail  string        `json:"detail,omitempty"` // what was there, or the tail of the output
	Output  string        `json:"output,omitempty"` // digest of the whole output
	Files   []string      `json:"files,omitempty"`  // changed: those that matched, some of them if there are many
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
