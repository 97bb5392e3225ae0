package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// DelegationStatus is where work stands that a manager or a planner delegated.
type DelegationStatus string

const (
	DelegationWaiting DelegationStatus = "waiting" // for others to be merged, or to begin
	DelegationOpen    DelegationStatus = "open"    // worked on
	DelegationBlocked DelegationStatus = "blocked" // until its questions are answered
	DelegationDone    DelegationStatus = "done"
	DelegationPartial DelegationStatus = "partial" // over, with criteria unmet
	DelegationFailed  DelegationStatus = "failed"
	DelegationRefused DelegationStatus = "refused"
	DelegationDropped DelegationStatus = "dropped" // the planner gave it up
)

// Over reports that nothing more comes of a delegation.
func (s DelegationStatus) Over() bool {
	return s != DelegationWaiting && s != DelegationOpen && s != DelegationBlocked
}

// Proposal is work that a manager, or a person in its place, wants done.
type Proposal struct {
	Title   string   `json:"title,omitempty"`
	Prompt  string   `json:"prompt,omitempty"`
	Line    string   `json:"line,omitempty"` // of work that it belongs to; one of its own if empty
	Kind    TaskKind `json:"kind,omitempty"`
	Role    string   `json:"role,omitempty"`
	Inputs  []string `json:"inputs,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
	Checks  []string `json:"checks,omitempty"` // commands that must succeed
	After   []string `json:"after,omitempty"`  // delegations and lines that come before it
	Voice   Voice    `json:"voice,omitempty"`  // whose part the caller speaks; their own if empty
}

// Key tells proposals apart: the same wish twice has the same key.
func (p Proposal) Key() string {
	p.Prompt = strings.Join(strings.Fields(strings.ToLower(p.Prompt)), " ")
	p.Title, p.Voice = "", ""
	raw, err := json.Marshal(p)
	if err != nil { // strings only: cannot fail
		raw = []byte(p.Prompt)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// Delegation is a proposal and what became of it.
type Delegation struct {
	ID       string           `json:"id"` // t1, t2, … in the order they were proposed
	Key      string           `json:"key"`
	Proposal Proposal         `json:"proposal"`
	Status   DelegationStatus `json:"status"`
	Stage    string           `json:"stage,omitempty"`
	Task     string           `json:"task,omitempty"`
	Reason   string           `json:"reason,omitempty"` // why it was refused or failed
	Event    string           `json:"event"`            // that proposed it
	By       Actor            `json:"by,omitzero"`      // who did
}

// Bounds of what the state holds of delegations that are over.
const (
	keptDelegations = 50
	keptPrompt      = 400 // bytes of what one that is over was to do
	keptTasks       = 20  // of a line
)

// DelegationID is the identity of the n-th delegation of a run.
func DelegationID(n int) string { return "t" + strconv.Itoa(n) }

// Delegation finds a delegation by its id; nil if there is none.
func (r *Run) Delegation(id string) *Delegation {
	return first(r.Managing.Delegations, func(d *Delegation) bool { return d.ID == id })
}

// Was reports an id that a delegation of the run had, though the state may not
// hold it any more.
func (r *Run) Was(id string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	return err == nil && DelegationID(n) == id && n >= 1 && n <= r.Managing.Delegated
}

// LineOf finds the stage of a line of work by its name or its branch; nil if
// there is none.
func (r *Run) LineOf(name string) *Stage {
	return first(r.Stages, func(s *Stage) bool { return s.Branch != "" && (s.ID == name || s.Branch == name) })
}

// Rounds is how often lines were begun, by their names.
type Rounds map[string]int

// KnowsLine reports a line of the run by its name or its branch, though the state
// may not hold it any more.
func (r *Run) KnowsLine(name string) bool {
	return r.LineOf(name) != nil || r.Managing.Rounds[name] > 0
}

// NextRound is the number of a stage's next round.
func (r *Run) NextRound(stage string) int {
	if s := r.Stage(stage); s != nil {
		return s.Round + 1
	}
	return r.Managing.Rounds[stage] + 1
}

// Merges reports a line that is merged as soon as its work is verified: one that
// nobody gave a name of its own.
func (r *Run) Merges(s *Stage) bool { return r.Was(s.ID) }

// LineName is the name of a line of work by what somebody calls it: a short word
// or a whole branch. "" stands for a line of its own. ok is false if no line
// can be called so.
func (r *Run) LineName(called string) (name string, ok bool) {
	if called == "" || called == r.Branch {
		return "", true
	}
	if s := r.LineOf(called); s != nil {
		return s.ID, true
	}
	name = called[strings.LastIndexByte(called, '/')+1:]
	if name == ManagerStage || name == PlanStage || name == PublishStage || strings.HasPrefix(name, stepPrefix) || strings.HasPrefix(name, "change-") {
		return "", false
	}
	for i, c := range []byte(name) {
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' && i > 0
		if !plain || i >= 40 {
			return "", false
		}
	}
	n, err := strconv.Atoi(strings.TrimPrefix(name, "t"))
	taken := err == nil && DelegationID(n) == name // what the lines without a name are called
	return name, name != "" && !taken
}
