package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	selectClosure = "SELECT reason, other FROM closure"
	updateClosure = "UPDATE closure SET reason = ?, other = ?"
	selectAlive   = "SELECT id, host, lease_until FROM engines WHERE lease_until > ? ORDER BY id LIMIT 1"
)

// Closure says why nobody may work on the store.
func (s *Store) Closure(ctx context.Context) (c store.Closure, err error) {
	err = s.readers.QueryRowContext(ctx, selectClosure).Scan(&c.Reason, &c.Other)
	return c, s.explain(err)
}

// admit refuses whoever wants to work on a database that is closed. One of an older schema is open.
func (s *Store) admit(ctx context.Context, db *sql.DB) error {
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'closure'").Scan(&tables); err != nil || tables == 0 {
		return err
	}
	var c store.Closure
	if err := db.QueryRowContext(ctx, selectClosure).Scan(&c.Reason, &c.Other); err != nil {
		return err
	}
	return c.Refusal("database " + s.path)
}

// SetClosure closes the store or opens it again.
func (s *Store) SetClosure(ctx context.Context, was, now store.Closure) error {
	return s.explain(s.writer.commitClosed(ctx, func(ctx context.Context, tx *txn) error {
		if tx.closure != was {
			return fmt.Errorf("whether the store is closed: %w", store.ErrStale)
		}
		if was.Reason == "" {
			if err := s.idle(ctx); err != nil {
				return err
			}
		}
		if now.Reason == store.Filling && was.Reason != now.Reason {
			if err := s.empty(ctx); err != nil {
				return err
			}
		}
		_, err := s.writer.conn.ExecContext(ctx, updateClosure, now.Reason, now.Other)
		tx.closure = now
		return err
	}))
}

// idle refuses to close a store that an engine works on.
func (s *Store) idle(ctx context.Context) error {
	var e store.EngineAlive
	var until int64
	err := s.writer.conn.QueryRowContext(ctx, selectAlive, micros(s.now())).Scan(&e.Engine, &e.Host, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	e.Until = fromMicros(until)
	return &e
}

// empty refuses to fill a store that holds something.
func (s *Store) empty(ctx context.Context) error {
	for _, t := range store.Tables() {
		if t.Name == store.TableHeads || t.Name == store.TableVersions {
			continue
		}
		var filled bool
		if err := s.writer.conn.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+rowsOf(t)+")").Scan(&filled); err != nil {
			return err
		}
		if filled {
			return fmt.Errorf("there are %s: %w", t.Name, store.ErrNotEmpty)
		}
	}
	return nil
}
