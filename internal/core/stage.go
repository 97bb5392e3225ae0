package core

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	Event     string      `json:"event,omitempty"`   // id of the event that asked for what is under way
	Trouble   string      `json:"trouble,omitempty"` // what keeps the stage from going on, until a person acts
	Commit    string      `json:"commit,omitempty"`  // head when it passed
}

// Hotfix is why a stage is done again, in words for the agent.
type Hotfix struct {
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
	Event      string    `json:"event"` // id of the event that asked
	Subject    Subject   `json:"subject"`
	Suggestion string    `json:"suggestion,omitempty"`
	Findings   []Finding `json:"findings,omitempty"`
	Notices    []string  `json:"notices,omitempty"`
	Approved   bool      `json:"approved,omitempty"`
	By         Actor     `json:"by"`
}

// TasksDone reports that every task of the round is done.
func (s *Stage) TasksDone() bool {
	if len(s.Tasks) == 0 {
		return false
	}
	for _, t := range s.Tasks {
		if t.Status != TaskDone {
			return false
		}
	}
	return true
}

// Review is the newest validated review handed in by the round's tasks.
func (s *Stage) Review() *Review {
	for i := len(s.Tasks) - 1; i >= 0; i-- {
		if a := s.Tasks[i].Last(); a != nil && a.Review != nil {
			return a.Review
		}
	}
	return nil
}

// Digest identifies what the round handed in: approvals are bound to it.
func (s *Stage) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n", s.ID, s.Round)
	for _, t := range s.Tasks {
		fmt.Fprintf(h, "%s %s\n", t.ID, t.Delivered().Digest())
	}
	return hex.EncodeToString(h.Sum(nil))
}
