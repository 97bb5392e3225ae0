package core

import (
	"fmt"
	"slices"
	"time"
)

// Epic is a goal for a project, with everything that is needed to start its run
// later: what the person asked for, not what it comes to. The playbook, the
// settings and the base are read when its turn comes.
type Epic struct {
	ID         string     `json:"id"`
	Run        string     `json:"run"` // id of the run it becomes: started twice, it is the same run
	Goal       string     `json:"goal"`
	Title      string     `json:"title"`
	Issue      string     `json:"issue,omitempty"`
	Playbook   string     `json:"playbook"`
	Base       string     `json:"base"`
	Branch     string     `json:"branch,omitempty"`
	Agent      string     `json:"agent,omitempty"`
	Isolation  string     `json:"isolation,omitempty"`
	Network    string     `json:"network,omitempty"`
	Forge      string     `json:"forge,omitempty"` // empty for that of the settings, as the two below
	Remote     string     `json:"remote,omitempty"`
	Repository string     `json:"repository,omitempty"`
	Limits     *Limits    `json:"limits,omitempty"` // zero fields are not set
	Policy     *RunPolicy `json:"policy,omitempty"`
	Options    Options    `json:"choices"`
	Preflight  string     `json:"preflight,omitempty"` // as it was set for this run; empty for that of the settings
}

// QueuedEpic is an epic that has not become a run yet.
type QueuedEpic struct {
	Epic
	By      string    `json:"by"` // who asked for it
	At      time.Time `json:"at"`
	Refused *Refusal  `json:"refused,omitempty"` // why it could not be started; nil while it waits for its turn
	// Tries is how often it was started in vain since it was queued, and TriedAt
	// when that was last.
	Tries   int        `json:"tries,omitempty"`
	TriedAt *time.Time `json:"tried_at,omitempty"`
}

// Refusal is why something a person asked for was not done.
type Refusal struct {
	Reason string `json:"reason"`
	Advice
	At time.Time `json:"at"`
}

// EpicID names the n-th epic of a project.
func EpicID(n int) string { return fmt.Sprintf("epic-%d", n) }

// Waiting lists the epics that wait for their turn, the next one first.
func (p *Project) Waiting() []QueuedEpic {
	var waiting []QueuedEpic
	for _, e := range p.Queue {
		if e.Refused == nil {
			waiting = append(waiting, e)
		}
	}
	return waiting
}

// Epic finds an epic of the queue; nil if there is none.
func (p *Project) Epic(id string) *QueuedEpic {
	return find(p.Queue, func(e *QueuedEpic) bool { return e.ID == id })
}

// Place is where an epic stands among those that wait, from 1; 0 if it does
// not wait.
func (p *Project) Place(id string) int {
	return slices.IndexFunc(p.Waiting(), func(e QueuedEpic) bool { return e.ID == id }) + 1
}
