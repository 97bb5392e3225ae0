package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Tools is what a manager's tools ask of the engine. Agents reach it with the
// token of their attempt, people with their own; the law says what of it each of
// them may do. A refusal says what to do instead, and is recorded. A call that was
// named (WithCall) may be repeated by its name, and is carried out once.
type Tools interface {
	// Delegate has work done. Where it is refused the error says why.
	Delegate(ctx context.Context, run string, req core.Proposal) (Delegated, error)
	// Tell writes to the project's conversation.
	Tell(ctx context.Context, run string, req Tell) (Told, error)
	// Ask asks people something. The answer wakes the manager.
	Ask(ctx context.Context, run string, req Ask) (Asked, error)
	// UpdatePlan commits the plan's documents, and returns when that is done.
	UpdatePlan(ctx context.Context, run string, req UpdatePlan) (Plan, error)
	// Plan reads the plan's documents as they are.
	Plan(ctx context.Context, run string) (Plan, error)
	// Detail reads a document, a fact or an answer of a run in waves.
	Detail(ctx context.Context, run string, req FetchDetail) (FetchedDetail, error)
	// Details lists what can be read so.
	Details(ctx context.Context, run string) (DetailIndex, error)
}

// Delegated is work that was taken on.
type Delegated struct {
	ID     string                `json:"id"`
	Status core.DelegationStatus `json:"status"` // waiting or open
	Line   string                `json:"line,omitempty"`
	Branch string                `json:"branch,omitempty"`
	Merges bool                  `json:"merges"` // it is merged as soon as it is verified
}

// Tell is something to be said.
type Tell struct {
	Text  string     `json:"text"`
	Voice core.Voice `json:"voice,omitempty"` // whose part is spoken; the caller's own if empty
	// Conversation is an id or a name. A manager speaks in the one that woke it
	// where this is empty, others in the one that the run was begun in.
	Conversation string `json:"conversation,omitempty"`
}

// Told is something that was said.
type Told struct {
	Event string `json:"event"`
}

// Ask is a question to people.
type Ask struct {
	Text    string        `json:"text"`
	Default string        `json:"default,omitempty"` // the answer if nobody gives one
	After   time.Duration `json:"after,omitempty"`   // how long to wait for one
	Voice   core.Voice    `json:"voice,omitempty"`   // whose part is spoken; the caller's own if empty
	// Conversation is an id or a name, as of what is told.
	Conversation string `json:"conversation,omitempty"`
}

// Asked is a question that was asked.
type Asked struct {
	ID  string    `json:"id"`
	Due time.Time `json:"due,omitzero"` // when the default holds
}

// UpdatePlan is a change of the plan's documents.
type UpdatePlan struct {
	Files   map[string]string `json:"files"`          // by their names below .ai
	Base    string            `json:"base,omitempty"` // digest of the plan.md that was changed
	Message string            `json:"message"`
	Voice   core.Voice        `json:"voice,omitempty"` // whose part is spoken; the caller's own if empty
}

// Plan is the plan's documents.
type Plan struct {
	Commit  string            `json:"commit"`
	Digest  string            `json:"digest"` // of plan.md
	Files   map[string]string `json:"files"`
	Trouble string            `json:"trouble,omitempty"` // why it cannot be followed
}
