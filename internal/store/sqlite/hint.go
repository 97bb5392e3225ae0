package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// waiting is a hint; since is when there was a reason to look first.
type waiting struct {
	store.Hint
	since int64
}

// Hints lists the hints of an engine's projects that are pending or due. A pending
// hint does not depend on the clock, so that a clock set back cannot hide it.
func (s *Store) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	now := micros(s.now())
	pending, err := s.read.PendingHints(ctx, query.PendingHintsParams{Engine: engine, Most: sqlLimit(limit)})
	if err != nil {
		return nil, s.explain(fmt.Errorf("pending hints: %w", err))
	}
	due, err := s.read.DueHints(ctx, query.DueHintsParams{Engine: engine, Now: now, Most: sqlLimit(limit)})
	if err != nil {
		return nil, s.explain(fmt.Errorf("due hints: %w", err))
	}
	found := make([]waiting, 0, len(pending)+len(due))
	add := func(h store.Hint, since int64, dueAt sql.NullInt64, dueSeq int64) {
		if dueAt.Valid && dueAt.Int64 <= now {
			h.DueSeq = dueSeq
		}
		found = append(found, waiting{h, since})
	}
	for _, p := range pending {
		add(store.Hint{Stream: p.Stream, Project: p.Project, Seq: p.HintSeq, Fence: p.Fence, Head: p.Head}, p.HintedAt, p.DueAt, p.DueSeq)
	}
	for _, d := range due {
		add(store.Hint{Stream: d.Stream, Project: d.Project, Seq: d.HintSeq, Fence: d.Fence, Head: d.Head}, d.ReadyAt.Int64, d.DueAt, d.DueSeq)
	}
	slices.SortStableFunc(found, func(a, b waiting) int { return cmp.Compare(a.since, b.since) })
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	hints := make([]store.Hint, len(found))
	for i, w := range found {
		hints[i] = w.Hint
	}
	return hints, nil
}

// Raised is what a look that begins now will have seen.
func (s *Store) Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error) {
	if raised, err = s.read.Raised(ctx, stream); err != nil {
		return 0, nil, s.missing(err, "hint of "+stream)
	}
	news, err = s.Events(ctx, stream, after, limit)
	return raised, news, err
}

// Raise raises the hint of a stream.
func (s *Store) Raise(ctx context.Context, stream string) error {
	return s.explain(s.writer.commit(ctx, func(ctx context.Context, tx *txn) error {
		tx.raised = true
		return failed("hint at "+stream, tx.RaiseWaiter(ctx, query.RaiseWaiterParams{Now: micros(s.now()), Stream: stream}))
	}))
}

// Rest ends a look: the stream is done up to h.Seq.
func (s *Store) Rest(ctx context.Context, h store.Hint) error {
	return s.explain(s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) error {
		if err := fenced(ctx, tx, h.Project, h.Fence); err != nil {
			return fmt.Errorf("end of a look at %s: %w", h.Stream, err)
		}
		pending, err := tx.RestHint(ctx, query.RestHintParams{
			Seen: h.Seq, Now: micros(s.now()), DueSeq: h.DueSeq, Stream: h.Stream,
		})
		if err != nil {
			return fmt.Errorf("end of a look at %s: %w", h.Stream, err)
		}
		tx.raised = tx.raised || pending
		return nil
	}))
}

// NextDue is the earliest time after a moment that any stream wants to be looked at.
func (s *Store) NextDue(ctx context.Context, after time.Time) (*time.Time, error) {
	due, err := s.read.NextDue(ctx, micros(after))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain(err)
	}
	return fromOptional(due), nil
}
