// Package spawn is the contract of the places where an attempt can run. A spawner brings a shim to life for an attempt
// and tells what became of it; what the shim does there is not its business, nor is whether an attempt should run. It
// keeps no truth of its own: what engine and attempt exchange has it (package exchange), so that any engine can ask about
// an attempt another one started.
package spawn

import "context"

// Capabilities is what a place offers. An attempt that needs more is refused before anything is prepared for it.
type Capabilities struct {
	Name      string   // of the place, for the record of an attempt
	Platform  string   // the machine or image that commands find there: a verdict of a check holds for one platform
	Isolation []string // the kinds of isolation an attempt can have there
	Resources bool     // limits of memory, processes, processor and disk hold there
	Sessions  bool     // agents of an interactive session can take attempts there
}

// Status is where an attempt stands.
type Status string

// The statuses. Exited and Lost are final, except that salvaging turns Lost into Running and then Exited.
const (
	// Absent means that nothing runs and nothing has run, as far as can be seen: a shim that another engine started a
	// moment ago may be on its way.
	Absent Status = "absent"
	// Starting means that a start was requested here and the shim has not claimed the attempt yet.
	Starting Status = "starting"
	Running  Status = "running"
	Exited   Status = "exited"
	Lost     Status = "lost"
)

// Final tells whether a status stays as it is without anybody's doing.
func (s Status) Final() bool { return s == Absent || s == Exited || s == Lost }

// ID names an attempt, or a command of a check, wherever it runs.
type ID struct{ Run, Attempt string }

func (id ID) String() string { return id.Run + "/" + id.Attempt }

// Order is a request to run one attempt, for which everything lies ready.
type Order struct {
	ID
	// Env holds the secrets the spec names, as KEY=value. They are handed over in memory only.
	Env []string
}

// Spawner runs attempts. All methods may be called at any time, from any goroutine, by an engine that did not start
// the attempt, and again with the same arguments after a crash.
//
// Start requests a start and returns without waiting for it to take effect. The agent of an attempt runs at most once, however often and by however many engines Start is called; a call that comes too late does nothing and is no
// error. The attempt outlives the engine and its context.
//
// Probe looks. It never changes anything.
//
// Kill asks the attempt to end and returns when the request is durable; the end is seen by Wait. An attempt that was
// killed before its start never runs, so an engine that gives up an Absent attempt kills it first.
//
// Wait returns when the status is final, or with the context's error. An attempt that is Absent is not waited for.
//
// Idle is closed when the agent of an attempt has ended, as soon as that is known here: what it left may still be handed
// in. It only saves time. Nil means that the end is not known before Wait tells it.
//
// Salvage requests that the leavings of a Lost attempt be saved: no agent runs, and how it ended is on record. For an
// attempt that is not lost it does nothing.
type Spawner interface {
	Capabilities() Capabilities
	Start(ctx context.Context, order Order) error
	Probe(ctx context.Context, id ID) (Status, error)
	Kill(ctx context.Context, id ID) error
	Wait(ctx context.Context, id ID) (Status, error)
	Idle(id ID) <-chan struct{}
	Salvage(ctx context.Context, id ID) error
}
