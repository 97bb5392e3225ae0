package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ErrClosed means that nobody may work on the store: see Closure.
var ErrClosed = errors.New("the store is closed")

// ErrOlder means that a store has the schema of an older release, and that nobody said it may be brought up to date.
var ErrOlder = errors.New("the store has an older schema")

// Older is the error of whoever wants to look at a store as it is whose schema is older than the one they know.
func Older(name string, current, newest int64) error {
	return core.Wrap(core.CodeConflict, ErrOlder, fmt.Sprintf("%s has schema version %d, this stellwerk needs %d", name, current, newest), "bring it up to date first").
		Offer(core.Choice{Verb: core.VerbMigrateStore})
}

// Schema is which schema a store had when it was opened, and which it has since.
type Schema struct {
	From, To int64
	Newest   int64  // that this program knows; To is higher if a newer release allowed its use
	Backup   string // copy of the database from before; "" for none
}

// ErrNotEmpty means that a store already holds something and so is not filled.
var ErrNotEmpty = errors.New("the store is not empty")

// ClosureReason says why a store is closed.
type ClosureReason string

const (
	Filling ClosureReason = "filling" // a copy of another store is being put into it, or was cut short
	Leaving ClosureReason = "leaving" // it is being copied into another store, or that was cut short
	Left    ClosureReason = "left"    // another store took its place
)

// Closure says why nobody may work on a store. The zero Closure is that of an open store.
type Closure struct {
	Reason ClosureReason
	Other  string // the store that its content comes from or goes to, as people call it
}

// Refusal is the error of whoever wants to work on the store name; nil if it is open.
func (c Closure) Refusal(name string) error {
	message, advice := "", core.Advice{}
	switch c.Reason {
	case "":
		return nil
	case Filling:
		message = fmt.Sprintf("%s is being filled from %s, or that was cut short", name, c.Other)
		advice = core.Advice{Hint: "repeat the move, and it begins again; if you gave it up, remove this store, the other one is as it was", Choices: []core.Choice{{Verb: core.VerbMoveStore}}}
	case Leaving:
		message = fmt.Sprintf("%s is being moved to %s, or that was cut short", name, c.Other)
		advice = core.Advice{Hint: "repeat the move, and it begins again; or give it up, which opens this store again", Choices: []core.Choice{{Verb: core.VerbMoveStore}, {Verb: core.VerbGiveUpMove}}}
	case Left:
		message = fmt.Sprintf("%s was moved to %s", name, c.Other)
		advice = core.Advice{Hint: "work with the store that it was moved to; if that is closed, too, or the state folder does not know it, repeat the move, and it ends", Choices: []core.Choice{{Verb: core.VerbMoveStore}}}
	default:
		message = fmt.Sprintf("%s is closed: %s", name, c.Reason)
		advice.Hint = "use the newer version that closed it"
	}
	return core.Wrap(core.CodeConflict, ErrClosed, message, "").Advise(advice)
}

// EngineAlive says that a store cannot be closed because an engine works on it.
type EngineAlive struct {
	Engine, Host string
	Until        time.Time // end of its lease
}

func (e *EngineAlive) Error() string {
	return fmt.Sprintf("engine %s on %s works on the store; its lease lasts until %s", e.Engine, e.Host, e.Until.UTC().Format(time.RFC3339))
}

// Copies is how all of a store gets into another one.
type Copies interface {
	// Closure says why nobody may work on the store.
	Closure(ctx context.Context) (Closure, error)
	// SetClosure closes a store or opens it again, if it still is as was says: otherwise ErrStale. An open store is closed
	// only if no engine's lease is running, *EngineAlive, and to be filled only if it is empty, ErrNotEmpty. Once it has
	// returned, nothing is written but by Import: Commit, Enlist, PutDocument and the rest fail with ErrClosed, whoever has
	// the store open, and it is opened only by whoever says that it may be closed.
	SetClosure(ctx context.Context, was, now Closure) error
	// Export reads everything the store holds as of one moment: the tables in the order of Tables, each in the order of its key.
	// Two stores that hold the same yield the same records.
	Export(ctx context.Context) iter.Seq2[Record, error]
	// Import puts records, as Export yields them, in the place of everything the store holds, in one transaction. The store
	// must be Filling.
	Import(ctx context.Context, records iter.Seq2[Record, error]) error
}

// Kind is what the values of a column are.
type Kind int

// Kinds, with the type that a value has in a Record.
const (
	Text    Kind = iota // string: UTF-8 without a zero byte
	Integer             // int64
	Real                // float64
	Flag                // bool
	Moment              // time.Time, UTC, whole microseconds
	Bytes               // []byte
)

// Column is a column of a Table.
type Column struct {
	Name     string
	Kind     Kind
	Optional bool // a value may be nil
}

// Table is a part of a store, as all stores see it. What a store derives from other tables is none, but for Heads.
type Table struct {
	Name    string
	Key     int // how many of the columns, from the first, order it
	Columns []Column
}

// Record is a row of a table.
type Record struct {
	Table  *Table
	Values []any // one for each column
}
