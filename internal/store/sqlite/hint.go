package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// candidate is a hint that may be claimed; since is when it became so.
type candidate struct {
	stream     string
	seq, fence int64
	since      int64
	due        sql.NullInt64
}

// Claim takes up to limit hints that are pending or due, oldest first.
func (s *Store) Claim(ctx context.Context, engine string, lease time.Duration, limit int) ([]store.Hint, error) {
	if err := s.takeOver(ctx, engine); err != nil {
		return nil, s.explain(err)
	}
	var hints []store.Hint
	err := s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) error {
		hints = hints[:0]
		now := s.now()
		found, err := candidates(ctx, tx, micros(now), limit)
		if err != nil {
			return err
		}
		for _, c := range found {
			seen := c.due
			seen.Valid = seen.Valid && seen.Int64 <= micros(now)
			err := tx.HoldHint(ctx, query.HoldHintParams{
				Holder: engine, LeaseUntil: micros(now.Add(lease)), SeenDue: seen, Stream: c.stream,
			})
			if err != nil {
				return fmt.Errorf("hold hint of %s: %w", c.stream, err)
			}
			hints = append(hints, store.Hint{Stream: c.stream, Seq: c.seq, Due: seen.Valid, Fence: c.fence + 1})
		}
		return nil
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return hints, nil
}

// takeOver frees, before an engine's first claim here, the hints that it held
// in an earlier life: nobody is looking at those any more.
func (s *Store) takeOver(ctx context.Context, engine string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engines[engine] {
		return nil
	}
	err := s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) error {
		return tx.FreeHints(ctx, engine)
	})
	if err != nil {
		return fmt.Errorf("take over the hints of %s: %w", engine, err)
	}
	s.engines[engine] = true
	return nil
}

// candidates finds the oldest hints that are pending, due or left by an engine
// whose lease ran out. A pending hint does not depend on the clock, so that a
// clock set back cannot hide it.
func candidates(ctx context.Context, tx *txn, now int64, limit int) ([]candidate, error) {
	pending, err := tx.PendingHints(ctx, int64(limit))
	if err != nil {
		return nil, fmt.Errorf("pending hints: %w", err)
	}
	due, err := tx.DueHints(ctx, query.DueHintsParams{Now: now, Most: int64(limit)})
	if err != nil {
		return nil, fmt.Errorf("due hints: %w", err)
	}
	found := make([]candidate, 0, len(pending)+len(due))
	for _, p := range pending {
		found = append(found, candidate{p.Stream, p.HintSeq, p.Fence, p.HintedAt, p.DueAt})
	}
	for _, d := range due {
		found = append(found, candidate{d.Stream, d.HintSeq, d.Fence, d.ReadyAt.Int64, d.DueAt})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.since, b.since) })
	return found[:min(limit, len(found))], nil
}

// Raised is what a look that begins now will have seen.
func (s *Store) Raised(ctx context.Context, stream string) (raised, head int64, err error) {
	row, err := s.read.Raised(ctx, stream)
	if err != nil {
		return 0, 0, s.missing(err, "hint of "+stream)
	}
	return row.HintSeq, row.Head, nil
}

// Rest ends a look: the stream is done up to h.Seq.
func (s *Store) Rest(ctx context.Context, engine string, h store.Hint) error {
	return s.explain(s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) error {
		pending, err := tx.RestHint(ctx, query.RestHintParams{
			Seen: h.Seq, Now: micros(s.now()), Stream: h.Stream, Fence: h.Fence,
		})
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%s looked at by %s: %w", h.Stream, engine, store.ErrFenced)
		}
		if err != nil {
			return fmt.Errorf("end of a look at %s: %w", h.Stream, err)
		}
		tx.raised = tx.raised || pending
		return nil
	}))
}

// NextDue is the earliest time any stream wants to be looked at. A time that a
// look under way was told of is not counted again.
func (s *Store) NextDue(ctx context.Context) (*time.Time, error) {
	due, err := s.read.NextDue(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain(err)
	}
	return fromOptional(due), nil
}
