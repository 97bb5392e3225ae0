package core

import "strconv"

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
	Leaks      []Leak         `json:"leaks,omitempty"`   // what would be published and looks like a secret
}

// ApprovalGranted is a person's explicit word, or a policy recorded as such.
type ApprovalGranted struct {
	Subject Subject `json:"subject"`
	Comment string  `json:"comment,omitempty"`
	// WithLeaks says that they saw what looks like a secret and publish it all
	// the same. Only a person can say that.
	WithLeaks bool `json:"with_leaks,omitempty"`
}

// Leak is a place in what would be published that looks like a secret, or that
// could not be searched for one. It never holds the secret itself.
type Leak struct {
	Rule   string `json:"rule"`             // what it looks like
	File   string `json:"file,omitempty"`   // empty for the message, author or committer of a commit
	Line   int    `json:"line,omitempty"`   // of the file as Commit left it
	Commit string `json:"commit,omitempty"` // that has it, if the last version has not
	Count  int    `json:"count,omitempty"`  // of places that are not listed, with [LeakMore]
}

// IsNamedBy says whether who was shown other was shown this. A search that was cut short may count fewer places.
func (l Leak) IsNamedBy(other Leak) bool {
	if l.Rule == LeakMore && other.Rule == LeakMore {
		return l.Count <= other.Count
	}
	return l == other
}

// Rules of a Leak that names no place: there is more than could be searched in
// reasonable time, or there are more places than are worth listing.
const (
	LeakUnsearched = "unsearched"
	LeakMore       = "more"
)

// String says where it is and what it looks like, for people.
func (l Leak) String() string {
	where := l.File
	switch {
	case l.Rule == LeakUnsearched:
		return "not all of it could be searched for secrets: there is too much"
	case l.Rule == LeakMore:
		if l.Count == 0 { // an older record
			return "and more places"
		}
		return "and " + strconv.Itoa(l.Count) + " more"
	case where == "":
		return "the message, author or committer of commit " + l.Commit[:min(len(l.Commit), 10)] + ": " + l.Rule
	case l.Line > 0:
		where += ":" + strconv.Itoa(l.Line)
	default:
		where += " (its name)"
	}
	if l.Commit != "" {
		where += " in commit " + l.Commit[:min(len(l.Commit), 10)]
	}
	return where + ": " + l.Rule
}

// FeedbackGiven opens a new round of the stage at the gate.
type FeedbackGiven struct {
	Stage string   `json:"stage"`
	Text  string   `json:"text"`
	Reset bool     `json:"reset,omitempty"`
	About *Subject `json:"about,omitempty"` // what the person was shown; nil if no gate stood
}

// RolledBack sends the run back to an earlier stage.
type RolledBack struct {
	From     string    `json:"from"`
	Target   string    `json:"target"`
	Text     string    `json:"text,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	Reset    bool      `json:"reset,omitempty"`
	Auto     bool      `json:"auto,omitempty"`
	About    *Subject  `json:"about,omitempty"` // what the person was shown; nil if no gate stood
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
	Stage  string         `json:"stage"`
	Limits *AttemptLimits `json:"limits,omitempty"` // of each attempt from now on; nil if they stay
}

// TargetChosen names another branch for the pull request to go to. What was
// prepared for the old one is prepared anew.
type TargetChosen struct {
	Base  string   `json:"base"`
	About *Subject `json:"about,omitempty"` // what the person was shown
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
	Leaks   []Leak        `json:"leaks,omitempty"` // what of it looks like a secret
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
