// Package sqlite keeps events, and what is derived from them, in one SQLite
// file: write-ahead log, every event durable before it is acknowledged, one
// writer that gathers what waits into a single transaction, and a pool of
// read-only readers. SQL lives in queries/ and is turned into Go by sqlc. The
// package must not decide anything about a run, must not delete an event, and
// must not be opened by two programs at once for work but in tests; whoever opens it
// holds the state folder's lock.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Options adjust a store. The zero value is ready for use.
type Options struct {
	// Clock is the database's clock; time.Now if nil.
	Clock func() time.Time
	// BusyTimeout is how long to wait for another program's lock; 5 s if zero.
	BusyTimeout time.Duration
	// Readers is how many reads may run at once; 4 if zero.
	Readers int
	// LazyLooks lets Rest, Remember and changes of owners return without waiting
	// for the disk. A crash of the program still loses nothing; a crash of the machine,
	// and with it of every engine, may undo them, which costs a look more or a check
	// run again. Events are
	// durable either way. Off, every method is durable as the contract says.
	LazyLooks bool
	// Closed opens a store also if nobody may work on it, so that it can be copied or opened again.
	Closed bool
	// AsIs refuses a database with an older schema, store.ErrOlder, instead of bringing it up to date.
	AsIs bool
	// OnMigrate is told of a database brought up to date, with the path of the
	// copy taken before.
	OnMigrate func(Migration)
}

// Migration is a database brought from one schema version to another.
type Migration struct {
	From, To int64
	Backup   string
}

// Store is a SQLite database. It implements store.Store.
type Store struct {
	path    string
	schema  store.Schema
	file    os.FileInfo // that is open
	clock   func() time.Time
	readers *sql.DB
	read    *query.Queries // prepared on readers
	moves   *sql.Stmt      // prepared on readers: every look asks
	writer  *writer
	signals chan struct{}
	lives   sync.Map // by engine: the version of its document of livesKind when it enlisted here
}

var _ store.Store = (*Store)(nil)

// Schema says which schema the database had when it was opened, and which it has since.
func (s *Store) Schema() store.Schema { return s.schema }

// Now is the database's clock, in the precision events are kept in.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	return s.now(), s.present()
}

// present refuses to go on where the database's file is no longer in its place.
// The one that is open could still be written, and what was written would be
// gone with it. Every step asks for the time first.
func (s *Store) present() error {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return core.Wrap(core.CodeUnavailable, err, "database "+s.path+" was taken away while the engine runs",
			"put the file back; or end the engine, then restore a backup").Offer(core.Choice{Verb: core.VerbRestore})
	case err != nil:
		return core.Wrap(core.CodeUnavailable, err, "database "+s.path+" cannot be looked at", "").Advise(adviseWrite())
	case !os.SameFile(info, s.file):
		return core.Errorf(core.CodeUnavailable, "database %s was replaced while the engine runs", s.path).
			WithHint("end the engine, then start it again: it works with the file that lies there now")
	}
	return nil
}

func (s *Store) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Signals delivers one whenever a hint may be pending; the first is there from the
// start, for hints of an earlier life.
func (s *Store) Signals() <-chan struct{} { return s.signals }

func (s *Store) signal() {
	select {
	case s.signals <- struct{}{}:
	default:
	}
}

// Close waits for writes under way and closes the database. The writer is
// closed last: the last connection folds the log into the database, which a
// reader could not.
func (s *Store) Close() error {
	s.writer.end()
	return s.explain(errors.Join(s.read.Close(), s.moves.Close(), s.readers.Close(), s.writer.close()))
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func optionalMicros(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: true}
}

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

func fromOptional(us sql.NullInt64) *time.Time {
	if !us.Valid {
		return nil
	}
	t := fromMicros(us.Int64)
	return &t
}
