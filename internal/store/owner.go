package store

import (
	"context"
	"time"
)

// Engine is an engine that works on the store. ID stays the same from one life of
// an engine to the next; Host is where it runs, for people, and Place where its attempts
// take their slots.
type Engine struct {
	ID, Host, Place string
}

// Owner says whose a project is. Fence counts its owners, so that a later owner has
// a higher one.
type Owner struct {
	Project, Engine string
	Fence           int64
	Host            string // of Engine; said by Adrift
	Idle            bool   // no run of the project is open and no epic waits; said by Enlist and Renew
}

// Member is an engine that has enlisted, as others see it.
type Member struct {
	Engine
	Until    time.Time // when its lease ends or has run out; zero if it gave the lease back
	Alive    bool      // the lease has not run out
	Projects []string  // that it owns, or left behind when its lease ended, by id
}

// Owners says which engine acts for a project and all its runs. An engine owns what
// it took until it gives it back or, its lease having run out, another takes it.
// Leases are judged by the database's clock, inside the transaction: of several
// engines that take a project at once, one gets it.
type Owners interface {
	// Enlist begins a life of an engine and its lease. What it owned in an earlier
	// life is its own at once, under higher fences: whoever enlists holds what only
	// one life can hold, such as the lock of a state folder. If an earlier life is not over
	// all the same, because it has a copy of that folder, Renew, Take and Leave fail with
	// ErrFenced in the store that it enlisted in.
	Enlist(ctx context.Context, e Engine, lease time.Duration) ([]Owner, error)
	// Renew has the engine's lease last for so long from now, and returns what it
	// still owns. A lease that has run out is renewed, too. ErrNotFound if the
	// engine never enlisted.
	Renew(ctx context.Context, engine string, lease time.Duration) ([]Owner, error)
	// Leave ends the engine's lease: others may take at once what it owns.
	Leave(ctx context.Context, engine string) error
	// Adrift lists up to limit projects that somebody should own, by id, from
	// this one on: those of hints that are pending or due and that no
	// engine owns, and those of engines whose lease has run out. It says who owned
	// them last. It takes no longer for what engines own that are well.
	Adrift(ctx context.Context, first string, limit int) ([]Owner, error)
	// Take makes the engine the owner of those of the projects that nobody owns, that
	// it owns itself, or whose owner's lease has run out, and renews its own lease.
	// It returns what it took. ErrNotFound if the engine never enlisted.
	Take(ctx context.Context, engine string, lease time.Duration, projects []string) ([]Owner, error)
	// OwnerOf is the engine that owns a project; ErrNotFound if none does whose
	// lease has not run out.
	OwnerOf(ctx context.Context, project string) (Engine, error)
	// Forget removes the engines that own nothing and that nothing was heard of for
	// so long: they neither began a life since nor had a lease. It says which. If one
	// of them is still there, its life is over as if it had begun another.
	Forget(ctx context.Context, silent time.Duration) ([]string, error)
	// Engines lists every engine that enlisted and was not forgotten, by id.
	Engines(ctx context.Context) ([]Member, error)
	// Yield gives projects back. The hints of their open runs are raised, so that
	// somebody takes those. What has another owner by now is left alone.
	Yield(ctx context.Context, owned []Owner) error

	// Position is how many events the store has seen, whichever engine committed
	// them: an event that is committed later has a higher position than this.
	Position(ctx context.Context) (int64, error)
	// Moved lists the streams to which events were appended after a position, each
	// once, and the position up to which that is all. At most limit events are looked
	// at; if there may be more, the position is below Position.
	Moved(ctx context.Context, after int64, limit int) (streams []string, position int64, err error)
	// MovedRuns lists the runs of a project to which events were appended after a
	// position, by their ids. It takes no longer for what happened in other projects.
	MovedRuns(ctx context.Context, project string, after int64) ([]string, error)
}
