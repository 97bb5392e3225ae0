package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Knowledge is what a run means to do, and what it holds to be true.
type Knowledge interface {
	// Outline is the work of a run, piece by piece, with what comes after what:
	// delegations of its waves, steps of its plan, or phases.
	Outline(ctx context.Context, id string) (Outline, error)
	// Facts lists what a run in waves holds to be true; with history also what no
	// longer does, in the order it came in. It fails with CodeUnsupported where a
	// run keeps no facts.
	Facts(ctx context.Context, id string, history bool) ([]core.Fact, error)
	// Conflicts are the contradictions that are found in a run in waves: in what
	// it holds to be true, between who wrote the same, and between what was asked
	// for and what was done. A run of another kind has none.
	Conflicts(ctx context.Context, id string) ([]core.Conflict, error)
}

// Outline is the work of a run.
type Outline struct {
	Run    string  `json:"run"`            // its alias
	Kind   string  `json:"kind"`           // of its playbook
	Wave   int     `json:"wave,omitempty"` // that is open or was the last
	Open   bool    `json:"open,omitempty"` // the wave's work goes on
	Pieces []Piece `json:"pieces"`
}

// PieceStatus is how a piece of work stands: a core.DelegationStatus, a
// core.StageStatus, or PieceStuck.
type PieceStatus string

// PieceStuck is the status of a piece that is open and waits for a person's word.
const PieceStuck PieceStatus = "stuck"

// Piece is a delegation, a step of a plan or a phase.
type Piece struct {
	ID     string      `json:"id"`
	Title  string      `json:"title,omitempty"`
	Role   string      `json:"role,omitempty"`
	Wave   int         `json:"wave,omitempty"`
	Status PieceStatus `json:"status"`           // of a delegation, or else waiting, open, stuck, gated, stale, skipped or done
	After  []string    `json:"after,omitempty"`  // pieces it waits for
	Waits  []string    `json:"waits,omitempty"`  // questions it waits for
	Unmet  []string    `json:"unmet,omitempty"`  // criteria that nobody has met or taken over
	Reason string      `json:"reason,omitempty"` // why it failed or was dropped
	Stale  string      `json:"stale,omitempty"`  // fact it was built on, and which no longer holds
	Branch string      `json:"branch,omitempty"`
}

// Waves is how a run stands whose work is delegated in waves.
type Waves struct {
	N          int                 `json:"n"`              // of the wave that is open or was the last; 0 before the first
	Most       int                 `json:"most"`           // as the playbook allows
	Open       bool                `json:"open,omitempty"` // its delegations are worked on
	Since      time.Time           `json:"since,omitzero"`
	Planning   bool                `json:"planning,omitempty"` // the planner is at work
	Pieces     []Piece             `json:"pieces,omitempty"`
	Refused    []core.BriefRefusal `json:"refused,omitempty"`  // of the newest decision
	Objections []string            `json:"objected,omitempty"` // why the newest decision was not followed
	Questions  []Question          `json:"questions,omitempty"`
	Facts      int                 `json:"facts"`        // that hold
	Asks       bool                `json:"asks"`         // the run is paused for nothing but answers
	Due        time.Time           `json:"due,omitzero"` // when it goes on without them
}

// FactList is what a run holds to be true, on the wire.
type FactList struct {
	Facts []core.Fact `json:"facts"`
}

// ConflictList is what contradicts itself in a run, on the wire.
type ConflictList struct {
	Conflicts []core.Conflict `json:"conflicts"`
}
