package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Sessions is what an interactive session of a coding agent's own program asks
// the engine: the session starts exactly the agents that the engine offers it,
// and hears what to do next. All methods are for hooks, name the session that
// calls, and do nothing where that session owns no open run (a Turn without
// Run).
//
// The order for one agent is Lease (a workspace for the agent that is about to
// start), Take (it has started: this is its work), HandIn (it has ended). Each
// may be repeated with the same arguments.
type Sessions interface {
	// Turn says what the session is to do now. If the engine is busy it waits
	// until there is something to say, at most req.Wait.
	Turn(ctx context.Context, session string, req TurnQuery) (Turn, error)
	// Lease makes the workspace of an agent. It fails with CodeConflict where
	// nothing is offered.
	Lease(ctx context.Context, session string, req Lease) (Leased, error)
	// Take gives an agent the oldest offer of its role and returns when the
	// attempt has begun. It fails with CodeConflict if nothing is offered to
	// that role.
	Take(ctx context.Context, session string, req Take) (Assignment, error)
	// HandIn ends the attempt of an agent; its work is then collected and
	// verified as that of any attempt. An agent without an attempt is no error.
	HandIn(ctx context.Context, session string, req HandIn) error
	// Say records what the person in the session typed, where a run of theirs
	// waits for a word or the word is an explicit one.
	Say(ctx context.Context, session string, req Say) (Turn, error)
	// Begin tells that the session's program has started, or started again:
	// agents of an earlier process are gone.
	Begin(ctx context.Context, session string, req Begin) (Turn, error)
	// End tells that the session's program ends. The run stays the session's.
	End(ctx context.Context, session string) error
}

// TurnQuery asks what to do now.
type TurnQuery struct {
	Wait time.Duration `json:"wait,omitempty"`
	// Alive are the agents that the session's program says are still at work.
	Alive []string `json:"alive,omitempty"`
	// Peek leaves a run that is over with the session; without it the session is
	// told once and owns it no longer.
	Peek bool `json:"peek,omitempty"`
	// Idle means that the session's program says no other agent is at work: an
	// attempt of an agent that is not alive has been abandoned, and is lost.
	Idle bool `json:"idle,omitempty"`
}

// TurnKind is what a session is to do.
type TurnKind string

// The kinds.
const (
	TurnStart   TurnKind = "start"   // start the offered agents
	TurnWorking TurnKind = "working" // agents of the session are at work
	TurnVerify  TurnKind = "verify"  // the engine is busy; nothing for the session to do
	TurnGate    TurnKind = "gate"    // a person is asked for an approval
	TurnPaused  TurnKind = "paused"
	TurnOver    TurnKind = "over" // completed, failed or cancelled
	TurnNone    TurnKind = ""     // the session owns no run
)

// Turn is what a session is to do now.
type Turn struct {
	Kind   TurnKind     `json:"kind,omitempty"`
	Run    *Run         `json:"run,omitempty"`
	Stage  string       `json:"stage,omitempty"`
	Round  int          `json:"round,omitempty"`
	Stages int          `json:"stages,omitempty"` // of the run
	At     int          `json:"at,omitempty"`     // position of the stage among them, from 1
	Number string       `json:"number,omitempty"` // of the stage's phase
	Back   []string     `json:"back,omitempty"`   // where the run can be sent back to: number and id of each
	Offers []Offer      `json:"offers,omitempty"`
	Gate   *core.Gate   `json:"gate,omitempty"`
	Shown  []string     `json:"shown,omitempty"` // documents a person should read at the gate
	Acts   string       `json:"acts,omitempty"`  // stage that acts on feedback at the gate
	Words  []string     `json:"words,omitempty"` // messages that approve, for the person to read
	Pause  *core.Pause  `json:"pause,omitempty"`
	Busy   string       `json:"busy,omitempty"`  // what the engine is doing
	Heard  core.Meaning `json:"heard,omitempty"` // what the person's last word means, unused
}

// Offer is an attempt that a session may start: an agent of a type, with a prompt.
type Offer struct {
	Attempt string `json:"attempt"`
	Role    string `json:"role"`
	Type    string `json:"type"` // the agent's type in the session's program
	Model   string `json:"model,omitempty"`
	Prompt  string `json:"prompt"` // path of the prompt's file, which exists once the agent has started
	N       int    `json:"n"`
	Base    string `json:"base"` // commit its workspace starts from
}

// Lease asks for a workspace.
type Lease struct {
	Agent string `json:"agent"`
}

// Leased is a workspace: a folder with a repository of its own.
type Leased struct {
	Dir string `json:"dir"`
}

// Take tells that an agent has started.
type Take struct {
	Agent string `json:"agent"`
	Type  string `json:"type"`
	Dir   string `json:"dir"` // where the agent works
}

// Assignment is the work of an agent.
type Assignment struct {
	Attempt string `json:"attempt"`
	Role    string `json:"role"`
	Prompt  string `json:"prompt"`
	Dir     string `json:"dir"`
	In      string `json:"in"`
	Out     string `json:"out"`
}

// HandIn tells that an agent has ended.
type HandIn struct {
	Agent      string `json:"agent"`
	Message    string `json:"message,omitempty"`    // its last words
	Transcript string `json:"transcript,omitempty"` // file of the session's program
}

// Say is what a person typed.
type Say struct {
	Text string `json:"text"`
}

// Begin tells how a session's program started: startup, resume, clear, compact, fork.
type Begin struct {
	Source string `json:"source"`
	Dir    string `json:"dir,omitempty"`
}

// Done is the answer if there is nothing to say.
type Done struct{}
