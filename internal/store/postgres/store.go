// Package postgres keeps events, and what is derived from them, in a PostgreSQL database that several engines share. Every write is
// one call of a function of the database (migrations/00002_functions.sql), which locks the ledger first: so writes of all engines
// follow one another, and positions are the order in which they were committed. Writes that wait at the same time share a call. SQL
// lives in migrations/ and queries/, and is turned into Go by sqlc. The package must not decide anything about a run, must not
// delete an event, and must not hold a lock between two statements, but for Import, which is alone, and for an erasure, which is rare.
package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Options adjust a store. The zero value is ready for use.
type Options struct {
	// LazyLooks lets Rest return without waiting for the server's disk. If the server fails, a look may be repeated.
	LazyLooks bool
	// Silence is for how long the server may say nothing before its connection counts as lost; pg.Silence if it is 0.
	Silence time.Duration
	// Closed opens a store also if nobody may work on it, so that it can be copied or opened again.
	Closed bool
	// AsIs refuses a database with an older schema, store.ErrOlder, instead of bringing it up to date.
	AsIs bool
}

// Store is a PostgreSQL database. It implements store.Store.
type Store struct {
	pool    *pgxpool.Pool
	schema  store.Schema
	q       *query.Queries
	clock   clock
	writer  *writer
	signals chan struct{}
	looks   chan struct{} // as many as may read at once
	listen  func()        // ends it
	lives   sync.Map
}

var _ store.Store = (*Store)(nil)

// Open opens the database at address, and brings its schema up to date.
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	return open(ctx, address, o, migrations())
}

func open(ctx context.Context, address string, o Options, schema fs.FS) (*Store, error) {
	pool, err := pg.Limits{Silence: o.Silence}.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	version, err := migrate(ctx, pool, schema, o.AsIs)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s := &Store{pool: pool, schema: version, q: query.New(pool), signals: make(chan struct{}, 1)}
	s.looks = make(chan struct{}, pool.Config().MaxConns/2)
	if err := s.admit(ctx, o); err != nil {
		pool.Close()
		return nil, err
	}
	s.writer = newWriter(s.q, o, &s.clock, s.signal)
	s.listen = s.listenIn(pool)
	s.signal()
	return s, nil
}

// Now is the database's clock.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if now, ok := s.clock.now(); ok {
		return now, ctx.Err()
	}
	now, err := s.q.Clock(ctx)
	if err != nil {
		return time.Time{}, explain("ask for the time", err)
	}
	return s.clock.set(now), nil
}

// Signals delivers one whenever a hint may be pending; the first is there from the start, for hints of an earlier life.
func (s *Store) Signals() <-chan struct{} { return s.signals }

func (s *Store) signal() {
	select {
	case s.signals <- struct{}{}:
	default:
	}
}

// Close waits for writes under way and closes all connections.
func (s *Store) Close() error {
	s.writer.end()
	s.listen()
	s.pool.Close()
	return nil
}

func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if pg.Code(err) == codeClosed {
		return fmt.Errorf("%s: %w", what, closed)
	}
	return pg.Explain(fmt.Errorf("%s: %w", what, err))
}

// Schema says which schema the database had when it was opened, and which it has since.
func (s *Store) Schema() store.Schema { return s.schema }

// Pool are the connections of the store, for objects that are kept in the same database. Close closes it.
func (s *Store) Pool() *pgxpool.Pool { return s.pool }
