package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// StageStatus is where a stage stands. See transition.go for what may follow.
type StageStatus string

const (
	StagePending StageStatus = "pending" // not yet reached
	StageOpen    StageStatus = "open"    // its tasks are worked on
	StageGated   StageStatus = "gated"   // checks hold, a person is asked
	StageDone    StageStatus = "passed"
	StageOmitted StageStatus = "skipped"
	StageStale   StageStatus = "stale" // passed once, an earlier stage is being redone
)

// Closed reports that the run may move past the stage.
func (s StageStatus) Closed() bool { return s == StageDone || s == StageOmitted }

// Stage is tasks that share a gate, with a round number. Only the tasks of the
// current round are held.
type Stage struct {
	ID        string      `json:"id"`
	Status    StageStatus `json:"status"`
	Round     int         `json:"round"`
	Base      string      `json:"base,omitempty"`   // commit this round started from
	Before    string      `json:"before,omitempty"` // commit before the stage's first round
	Reason    OpenReason  `json:"reason,omitempty"`
	Hotfix    *Hotfix     `json:"hotfix,omitempty"` // what this round is asked to fix
	Next      *Reopen     `json:"next,omitempty"`   // how the next round begins, once decided
	Tasks     []*Task     `json:"tasks,omitempty"`
	Gate      *Gate       `json:"gate,omitempty"`
	Condition *bool       `json:"condition,omitempty"` // verdict of `when:`
	Asked     bool        `json:"asked,omitempty"`     // `when:` is being evaluated
	Skip      SkipSource  `json:"skip,omitempty"`
	Insisted  string      `json:"insisted,omitempty"` // event of the plan that left it out and was overruled
	Reduced   string      `json:"reduced,omitempty"`  // why one role does the round alone
	Event     string      `json:"event,omitempty"`    // id of the event that asked for what is under way
	Trouble   string      `json:"trouble,omitempty"`  // what keeps the stage from going on, until a person acts
	Commit    string      `json:"commit,omitempty"`   // head when it passed
	Title     string      `json:"title,omitempty"`
	Branch    string      `json:"branch,omitempty"`     // of its own; its tasks work on the run's if empty
	Line      string      `json:"line,omitempty"`       // newest verified commit of that branch
	LineAt    string      `json:"line_at,omitempty"`    // where the yard's ref of it stands
	Merged    string      `json:"merged,omitempty"`     // commit by which the run's branch took it in
	Conflict  *Unmerged   `json:"conflict,omitempty"`   // why the newest merge was refused
	Note      *MergeNote  `json:"merge_note,omitempty"` // what stood in the way of merging the round's branch so far
	Reviews   int         `json:"reviews,omitempty"`    // that were begun of a manager's line since it was last merged
	Fixes     int         `json:"fixes,omitempty"`      // that were begun of it
	Wish      *Changes    `json:"wish,omitempty"`       // what somebody wants changed, if the stage is for that
	Resets    int         `json:"resets,omitempty"`     // how often a person gave it all its tries back
	Turn      *Turn       `json:"turn,omitempty"`       // of the manager, whose stage this is
	ClosedAt  time.Time   `json:"closed_at,omitzero"`
}

// Unmerged is a merge that git or the checks refused.
type Unmerged struct {
	Into    string        `json:"into"` // commit of the run's branch
	Files   []string      `json:"files,omitempty"`
	Results []CheckResult `json:"results,omitempty"`
}

// Start is the commit that the stage's next work starts from.
func (s *Stage) Start() string {
	if s.Line != "" {
		return s.Line
	}
	return s.Base
}

// Allowed is a number of tries, as often as a person gave them.
func (s *Stage) Allowed(tries int) int { return tries * (s.Resets + 1) }

// begins counts what is bounded of a manager's line.
func (s *Stage) begins(kind TaskKind) {
	if kind == KindReview {
		s.Reviews++
	}
	if kind == KindFix {
		s.Fixes++
	}
}

// Worn reports a line that was reviewed, or fixed, as often as its playbook lets a
// manager have that done before a person is asked.
func (r *Run) Worn(s *Stage, kind TaskKind) bool {
	if s == nil || !r.ByManager() || r.Playbook.Project.Reviews == 0 {
		return false
	}
	most := s.Allowed(r.Playbook.Project.Reviews)
	return kind == KindReview && s.Reviews >= most || kind == KindFix && s.Fixes >= most
}

// Hotfix is why a stage is done again, in words for the agent.
type Hotfix struct {
	By       Actor     `json:"by,omitzero"` // who sent the work back
	From     string    `json:"from,omitempty"`
	Text     string    `json:"text,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// Reopen is how a stage's next round begins.
type Reopen struct {
	Reason OpenReason `json:"reason"`
	Hotfix *Hotfix    `json:"hotfix,omitempty"`
}

// Gate is what a person is asked at a stage.
type Gate struct {
	Event      string         `json:"event"` // id of the event that asked
	Subject    Subject        `json:"subject"`
	Suggestion string         `json:"suggestion,omitempty"`
	Findings   []Finding      `json:"findings,omitempty"`
	Notices    []string       `json:"notices,omitempty"`
	Skips      []SkipProposal `json:"skips,omitempty"` // stages that the approval leaves out
	Leaks      []Leak         `json:"leaks,omitempty"` // what would be published and looks like a secret
	WithLeaks  bool           `json:"with_leaks,omitempty"`
	Approved   bool           `json:"approved,omitempty"`
	By         Actor          `json:"by"`
}

// Live are the tasks of the round that were not given up.
func (s *Stage) Live() []*Task {
	live := make([]*Task, 0, len(s.Tasks))
	for _, t := range s.Tasks {
		if t.Status != TaskDropped {
			live = append(live, t)
		}
	}
	return live
}

// TasksDone reports that every task of the round is done.
func (s *Stage) TasksDone() bool {
	live := s.Live()
	if len(live) == 0 {
		return false
	}
	for _, t := range live {
		if t.Status != TaskDone {
			return false
		}
	}
	return true
}

// Review is the newest validated review handed in by the round's tasks.
func (s *Stage) Review() *Review {
	for _, t := range slices.Backward(s.Live()) {
		if a := t.Last(); a != nil && a.Review != nil {
			return a.Review
		}
	}
	return nil
}

// Digest identifies what the round handed in: approvals are bound to it.
func (s *Stage) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n", s.ID, s.Round)
	for _, t := range s.Live() {
		fmt.Fprintf(h, "%s %s\n", t.ID, t.Delivered().Digest())
	}
	return hex.EncodeToString(h.Sum(nil))
}
