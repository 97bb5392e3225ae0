package core

// The events of a run that drives a project: of kind rules or manager.
const (
	TypePlanRead           Type = "PlanRead"
	TypePlanWriteRequested Type = "PlanWriteRequested"
	TypePlanUpdated        Type = "PlanUpdated"
	TypeMergeConcluded     Type = "MergeConcluded"
	TypeStageDiscarded     Type = "StageDiscarded"
	TypeChangesRequested   Type = "ChangesRequested"
	TypeReviewAwaited      Type = "ReviewAwaited"
	TypeMergeGranted       Type = "MergeGranted"
	TypeMergeFailed        Type = "MergeFailed"
	TypePullRequestSeen    Type = "PullRequestSeen"
)

// PlanRead says which plan the run's branch holds.
type PlanRead struct {
	Found bool   `json:"found"`
	Plan  Plan   `json:"plan"`
	Error string `json:"error,omitempty"` // why what is there is no plan
}

// PlanWriteRequested decides that the plan is written: a document that was
// handed in takes its place, or steps are marked as done in it.
type PlanWriteRequested struct {
	Artifact string     `json:"artifact,omitempty"` // digest of the document
	Done     []string   `json:"done,omitempty"`     // ids of steps
	Files    []PlanFile `json:"files,omitempty"`    // documents that were proposed
	Message  string     `json:"message"`            // of the commit, after "plan: "
}

// PlanUpdated records that the plan on the run's branch is another.
type PlanUpdated struct {
	Old  string `json:"old"` // commit that the new one follows
	Plan Plan   `json:"plan"`
	Pack string `json:"pack,omitempty"` // of the plan's commit; empty if that is Old
}

// MergeConcluded is what came of merging a stage's branch into the run's: the
// merged tree was verified before the branch moves.
type MergeConcluded struct {
	Task      string        `json:"task"`
	Into      string        `json:"into"` // where the run's branch was
	From      string        `json:"from"` // commit that was merged
	Commit    string        `json:"commit,omitempty"`
	Pack      string        `json:"pack,omitempty"` // of Commit; empty if that is Into
	Passed    bool          `json:"passed"`
	Conflicts []string      `json:"conflicts,omitempty"` // files that git could not merge
	Results   []CheckResult `json:"results,omitempty"`
	Error     string        `json:"error,omitempty"` // it could not be tried at all
}

// StageDiscarded gives up a round and the branch it worked on, which is kept
// under a ref. Again says that another round is to begin.
type StageDiscarded struct {
	Stage  string `json:"stage"`
	Round  int    `json:"round"`
	Reason string `json:"reason"`
	Again  bool   `json:"again,omitempty"`
	// Delegation is the proposal that this carries out; "" if nobody proposed it.
	Delegation string `json:"delegation,omitempty"`
}

// ChangesRequested is what somebody wants changed about the whole of the work:
// a person here, or a reviewer of the pull request.
type ChangesRequested struct {
	ID     string `json:"id"`               // of the review on the forge, or of the word given here
	Source string `json:"source,omitempty"` // who, and where
	Text   string `json:"text"`
	// About is what a person here was shown: a gate, or with no stage the commit
	// that the work was at.
	About *Subject `json:"about,omitempty"`
}

// ReviewAwaited says that the work is published and nothing is left to do until
// somebody has looked at it.
type ReviewAwaited struct{}

// MergeGranted is a person's word that what was published be merged into its
// base here: exactly so. It comes before the base moves. PullRequestSeen says
// that the base has moved, MergeFailed that it has not.
type MergeGranted struct {
	Commit string `json:"commit"`            // that was published
	Base   string `json:"base"`              // branch of the person's repository
	Tip    string `json:"tip"`               // where that was
	Merge  string `json:"merge"`             // the commit it is set to
	Pack   string `json:"pack,omitempty"`    // of Merge; empty if that is Commit
	ByHand bool   `json:"by_hand,omitempty"` // the person's own git moves the base, not the engine
}

// MergeFailed says that the engine could not move the base to a merge that was
// granted. Nothing has changed; the person can grant it again.
type MergeFailed struct {
	Merge  string       `json:"merge"`           // the commit that was granted
	Cause  MergeFailure `json:"cause,omitempty"` // where clients have words of their own for it
	Reason string       `json:"reason"`
}

// MergeFailure is a cause of MergeFailed that clients know.
type MergeFailure string

const (
	MergeBaseMoved      MergeFailure = "base_moved"       // it is not where it was when the merge was granted
	MergeBaseCheckedOut MergeFailure = "base_checked_out" // in a work tree, whose files would no longer fit it
)

// PullRequestState is where a pull request stands.
type PullRequestState string

const (
	PullRequestOpen   PullRequestState = "open"
	PullRequestMerged PullRequestState = "merged"
	PullRequestClosed PullRequestState = "closed" // without being merged
)

// ChecksFailed is what PullRequestSeen says of checks of the forge that failed.
const ChecksFailed = "failed"

// PullRequestSeen records a change of the pull request on its forge.
type PullRequestSeen struct {
	State   PullRequestState `json:"state"`
	Checks  string           `json:"checks,omitempty"`  // what the forge's own checks say: pending, passed, failed
	Preview string           `json:"preview,omitempty"` // link to a preview deployment
	Cursor  string           `json:"cursor,omitempty"`  // what of the notes on it was read
	Commit  string           `json:"commit,omitempty"`  // that was published when it was looked at
	Merge   string           `json:"merge,omitempty"`   // the merge that a person granted, if the base holds it
}

func (PlanRead) event() Type           { return TypePlanRead }
func (PlanWriteRequested) event() Type { return TypePlanWriteRequested }
func (PlanUpdated) event() Type        { return TypePlanUpdated }
func (MergeConcluded) event() Type     { return TypeMergeConcluded }
func (StageDiscarded) event() Type     { return TypeStageDiscarded }
func (ChangesRequested) event() Type   { return TypeChangesRequested }
func (ReviewAwaited) event() Type      { return TypeReviewAwaited }
func (MergeGranted) event() Type       { return TypeMergeGranted }
func (MergeFailed) event() Type        { return TypeMergeFailed }
func (PullRequestSeen) event() Type    { return TypePullRequestSeen }
