package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Commit appends events and everything that follows from them.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	rows, err := c.EventRows()
	if err == nil {
		err = c.Satisfiable()
	}
	if err != nil {
		return err
	}
	return s.explain(s.writer.commit(ctx, func(ctx context.Context, tx *txn) error {
		return s.apply(ctx, tx, c, rows)
	}))
}

func (s *Store) apply(ctx context.Context, tx *txn, c store.Commit, rows []store.EventRow) error {
	if c.Fence != 0 && !planted.Is("nofence") {
		if err := fenced(ctx, tx, c.Of, c.Fence); err != nil {
			return err
		}
	}
	if err := appendEvents(ctx, tx, c, rows); err != nil {
		return err
	}
	if err := holds(ctx, tx, c); err != nil {
		return err
	}
	if err := within(ctx, tx, c.Budget); err != nil {
		return err
	}
	now := micros(s.now())
	for _, claim := range c.Release {
		if err := release(ctx, tx, claim, now); err != nil {
			return err
		}
	}
	for _, claim := range c.Acquire {
		if err := acquire(ctx, tx, claim); err != nil {
			return err
		}
	}
	if err := atOwner(ctx, tx, &c, now); err != nil {
		return err
	}
	slots := desk{tx, now}
	if err := slots.free(ctx, c.Free); err != nil {
		return err
	}
	if err := slots.take(ctx, c.Stream, c.Take); err != nil {
		return err
	}
	reasons := int64(0)
	if len(rows) > 0 {
		reasons = 1
	}
	if !c.Attended && (len(rows) > 0 || c.DueAt != nil) {
		tx.raised = true
	}
	err := tx.Raise(ctx, query.RaiseParams{
		Stream: c.Stream, Project: c.Of, Reasons: reasons, Now: now, DueAt: optionalMicros(c.DueAt),
	})
	if err != nil {
		return fmt.Errorf("hint of %s: %w", c.Stream, err)
	}
	if err := slots.queue(ctx, c.Stream, c.Queue); err != nil { // the hint is there by now
		return err
	}
	if err := stir(ctx, tx, c, now); err != nil {
		return err
	}
	if err := project(ctx, tx, c); err != nil {
		return err
	}
	return s.erase(ctx, c.Erase)
}

func appendEvents(ctx context.Context, tx *txn, c store.Commit, rows []store.EventRow) error {
	head, err := tx.Head(ctx, c.Stream)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("head of %s: %w", c.Stream, err)
	}
	if head.Seq != c.After {
		return fmt.Errorf("%s stands at %d, not %d: %w", c.Stream, head.Seq, c.After, store.ErrStale)
	}
	if len(rows) > 0 && rows[0].PrevHash != head.Hash {
		return core.Errorf(core.CodeForked, "%s: event %d does not follow the event stored before it", c.Stream, rows[0].Seq)
	}
	for _, row := range rows {
		err := tx.AppendEvent(ctx, query.AppendEventParams{
			Stream: row.Stream, Seq: row.Seq, ID: row.ID, Type: string(row.Type), V: int64(row.V), At: micros(row.At),
			Actor: row.Actor, Cause: row.Cause, PrevHash: row.PrevHash, Hash: row.Hash, Body: row.Body,
		})
		if err != nil {
			return fmt.Errorf("append %s: %w", row.ID, err)
		}
	}
	return nil
}

// holds refuses a step if what it was judged by besides its own stream has
// changed. Writes follow one another, so it stays so until the step is committed.
func holds(ctx context.Context, tx *txn, c store.Commit) error {
	for _, given := range c.Given {
		head, err := tx.Head(ctx, given.Stream)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("head of %s: %w", given.Stream, err)
		}
		if head.Seq != given.Seq {
			return fmt.Errorf("%s stands at %d, not %d: %w", given.Stream, head.Seq, given.Seq, store.ErrStale)
		}
	}
	if c.Idle == "" {
		return nil
	}
	open, err := tx.OpenProjectRuns(ctx, query.OpenProjectRunsParams{ProjectID: c.Idle, Most: 1})
	if err != nil {
		return fmt.Errorf("open runs of project %s: %w", c.Idle, err)
	}
	if len(open) > 0 {
		return &store.RunOpen{Alias: open[0].Alias}
	}
	return nil
}

func acquire(ctx context.Context, tx *txn, c core.Claim) error {
	holders, err := tx.Holders(ctx, query.HoldersParams{Kind: string(c.Kind), Key: c.Key})
	if err != nil {
		return fmt.Errorf("holders of %s: %w", c, err)
	}
	for _, h := range holders {
		if h == c.Holder {
			return nil
		}
	}
	if len(holders) >= c.Limit {
		return &store.ClaimHeld{Claim: c, Holder: holders[0]}
	}
	err = tx.TakeClaim(ctx, query.TakeClaimParams{
		Kind: string(c.Kind), Key: c.Key, Holder: c.Holder, Capacity: int64(c.Limit),
	})
	if err != nil {
		return fmt.Errorf("take %s: %w", c, err)
	}
	return nil
}

func release(ctx context.Context, tx *txn, c core.Claim, now int64) error {
	n, err := tx.DropClaim(ctx, query.DropClaimParams{Kind: string(c.Kind), Key: c.Key, Holder: c.Holder})
	if err != nil {
		return fmt.Errorf("release %s: %w", c, err)
	}
	if n == 0 {
		return nil
	}
	streams, err := tx.TakeWaiters(ctx, query.TakeWaitersParams{Kind: string(c.Kind), Key: c.Key})
	if err != nil {
		return fmt.Errorf("waiters of %s: %w", c, err)
	}
	for _, stream := range streams {
		if err := tx.RaiseWaiter(ctx, query.RaiseWaiterParams{Now: now, Stream: stream}); err != nil {
			return fmt.Errorf("hint at %s: %w", stream, err)
		}
		tx.raised = true
	}
	return nil
}

// Await notes that a stream waits for a claim to be released.
func (s *Store) Await(ctx context.Context, stream string, claim core.Claim) error {
	return s.explain(s.writer.commit(ctx, func(ctx context.Context, tx *txn) error {
		return tx.AddWaiter(ctx, query.AddWaiterParams{Kind: string(claim.Kind), Key: claim.Key, Stream: stream})
	}))
}
