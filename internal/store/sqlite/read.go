package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Events reads a stream in order, all of it if limit is 0.
func (s *Store) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	rows, err := s.read.Events(ctx, query.EventsParams{Stream: stream, Seq: after, Most: sqlLimit(limit)})
	if err != nil {
		return nil, s.explain(fmt.Errorf("events of %s: %w", stream, err))
	}
	events := make([]core.Event, len(rows))
	actors := map[string]core.Actor{} // few say everything
	for i, r := range rows {
		events[i] = core.Event{
			ID: r.ID, Stream: stream, Seq: r.Seq, Type: core.Type(r.Type), V: int(r.V), At: fromMicros(r.At),
			Cause: r.Cause, PrevHash: r.PrevHash, Body: r.Body,
		}
		actor, known := actors[r.Actor]
		if !known {
			if actor, err = core.ReadActor(events[i], []byte(r.Actor)); err != nil {
				return nil, err
			}
			actors[r.Actor] = actor
		}
		events[i].Actor = actor
	}
	return events, nil
}

// Head is where a stream stands; the zero Head if it has no events.
func (s *Store) Head(ctx context.Context, stream string) (core.Head, error) {
	row, err := s.read.Head(ctx, stream)
	if errors.Is(err, sql.ErrNoRows) {
		return core.Head{}, nil
	}
	if err != nil {
		return core.Head{}, s.explain(fmt.Errorf("head of %s: %w", stream, err))
	}
	return core.Head{Seq: row.Seq, Hash: row.Hash, At: fromMicros(row.At)}, nil
}

// Snapshot is the stream's newest snapshot.
func (s *Store) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	row, err := s.read.Snapshot(ctx, stream)
	if err != nil {
		return store.Snapshot{}, s.missing(err, "snapshot of "+stream)
	}
	return store.Snapshot{
		Head:   core.Head{Seq: row.Seq, Hash: row.Hash, At: fromMicros(row.At)},
		Format: int(row.Format), State: row.State,
	}, nil
}

// Claims lists every claim that is held.
func (s *Store) Claims(ctx context.Context) ([]core.Claim, error) {
	rows, err := s.read.Claims(ctx)
	return list(s, rows, err, func(r query.Claim) core.Claim {
		return core.Claim{Kind: core.ClaimKind(r.Kind), Key: r.Key, Holder: r.Holder, Limit: int(r.Capacity)}
	})
}

// Holders lists who holds a key.
func (s *Store) Holders(ctx context.Context, kind core.ClaimKind, key string) ([]string, error) {
	holders, err := s.read.Holders(ctx, query.HoldersParams{Kind: string(kind), Key: key})
	slices.Sort(holders)
	return holders, s.explain(err)
}

// Recall finds a remembered verdict of a check.
func (s *Store) Recall(ctx context.Context, key string) ([]byte, error) {
	verdict, err := s.read.Recall(ctx, key)
	if err != nil {
		return nil, s.missing(err, "verdict "+key)
	}
	return verdict, nil
}

// Remember keeps a verdict.
func (s *Store) Remember(ctx context.Context, key string, verdict []byte) error {
	return s.explain(s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) error {
		return tx.Remember(ctx, query.RememberParams{Key: key, Verdict: verdict, At: micros(s.now())})
	}))
}

// list turns rows into what the store's contract calls them.
func list[Row, T any](s *Store, rows []Row, err error, convert func(Row) T) ([]T, error) {
	if err != nil {
		return nil, s.explain(err)
	}
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = convert(r)
	}
	return all, nil
}

// missing says what was not found, or what else went wrong.
func (s *Store) missing(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, store.ErrNotFound)
	}
	return s.explain(fmt.Errorf("%s: %w", what, err))
}

func sqlLimit(n int) int64 {
	if n <= 0 {
		return -1
	}
	return int64(n)
}
