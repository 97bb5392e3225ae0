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

// desk is where a commit's slots are given back, taken and queued for. Writes
// follow one another, so what it finds stays so until the commit is made.
//
// Whoever waits is filed under one of its pools that is full for it. Only a slot
// given back makes room, so only those filed under its pools can be next.
type desk struct {
	tx  *txn
	now int64
}

// atOwner has a commit ask for slots where the project's owner is, which is who begins the attempts. The owner itself commits
// under its fence, and has said so.
func atOwner(ctx context.Context, tx *txn, c *store.Commit, now int64) error {
	if c.Place == "" || c.Fence != 0 || len(c.Take)+len(c.Queue) == 0 {
		return nil
	}
	owner, err := tx.OwnerEngine(ctx, query.OwnerEngineParams{Project: c.Of, Now: now})
	if errors.Is(err, sql.ErrNoRows) || err == nil && (owner.Place == "" || owner.Place == c.Place) {
		return nil
	}
	if err != nil {
		return failed("place of the owner of project "+c.Of, err)
	}
	c.Take, c.Queue = core.SlotsAt(c.Take, c.Place, owner.Place), core.SlotsAt(c.Queue, c.Place, owner.Place)
	return nil
}

// free gives up what holders have, and hands it on.
func (d desk) free(ctx context.Context, holders []string) error {
	freed := map[string]bool{}
	for _, holder := range holders {
		if err := d.drop(ctx, holder, freed); err != nil {
			return err
		}
	}
	return d.handOn(ctx, freed)
}

// drop forgets a holder, and notes the pools of which it had a slot.
func (d desk) drop(ctx context.Context, holder string, freed map[string]bool) error {
	if n, err := d.tx.DropSlots(ctx, holder); err != nil || n == 0 {
		return failed("give up the slots of "+holder, err)
	}
	pools, err := d.tx.DropPools(ctx, holder)
	for _, p := range pools {
		if p.Held == 1 {
			freed[p.Pool] = true
		}
	}
	return failed("give up the pools of "+holder, err)
}

// handOn gives the room in pools to those who wait for it, until nobody's pools
// all have some.
func (d desk) handOn(ctx context.Context, freed map[string]bool) error {
	for {
		holder, err := d.next(ctx, freed)
		if err != nil || holder == "" {
			return err
		}
		if err := d.give(ctx, holder); err != nil {
			return err
		}
	}
}

// next is who comes first among those filed under a pool that has room for them.
func (d desk) next(ctx context.Context, pools map[string]bool) (string, error) {
	var first *query.NextInLineRow
	for pool := range pools {
		n, err := d.tx.Waiting(ctx, pool)
		if err != nil {
			return "", failed("whether somebody waits for "+pool, err)
		}
		if n == 0 { // as usual, and the questions that follow take longer
			continue
		}
		used, err := d.tx.InUse(ctx, pool)
		if err != nil {
			return "", failed("slots in use of "+pool, err)
		}
		row, err := d.tx.NextInLine(ctx, query.NextInLineParams{Pool: pool, InUse: used})
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return "", failed("who waits for "+pool, err)
		}
		if first == nil || row.Share < first.Share || row.Share == first.Share && row.Seq < first.Seq {
			first = &row
		}
	}
	if first == nil {
		return "", nil
	}
	return first.Holder, nil
}

// give hands a holder in the queue its slots if all its pools have room, and tells
// its stream. Otherwise it files the holder under a pool that has none.
func (d desk) give(ctx context.Context, holder string) error {
	pools, err := d.tx.PoolsOf(ctx, holder)
	if err != nil {
		return failed("pools of "+holder, err)
	}
	for _, p := range pools {
		used, err := d.tx.InUse(ctx, p.Pool)
		if err != nil {
			return failed("slots in use of "+p.Pool, err)
		}
		if used >= p.Capacity {
			err := d.tx.FileSlots(ctx, query.FileSlotsParams{Filed: p.Pool, Room: p.Capacity, Holder: holder})
			return failed("file "+holder, err)
		}
	}
	if err := d.hold(ctx, holder); err != nil {
		return err
	}
	row, err := d.tx.SlotsOf(ctx, holder)
	if err != nil {
		return failed("slots of "+holder, err)
	}
	d.tx.raised = true
	return failed("hint at "+row.Stream, d.tx.RaiseWaiter(ctx, query.RaiseWaiterParams{Now: d.now, Stream: row.Stream}))
}

func (d desk) hold(ctx context.Context, holder string) error {
	if err := d.tx.HoldSlots(ctx, holder); err != nil {
		return failed("hold the slots of "+holder, err)
	}
	return failed("hold the pools of "+holder, d.tx.HoldPools(ctx, holder))
}

// take has all holders get their slots now, or none of them.
func (d desk) take(ctx context.Context, stream string, all []core.Slots) error {
	var full []store.Full
	for _, s := range all {
		row, left, err := d.enter(ctx, s)
		if err != nil {
			return err
		}
		if row == rowHeld {
			continue
		}
		pool, err := d.full(ctx, s)
		switch {
		case err != nil:
			return err
		case pool != nil:
			full = append(full, *pool) // the commit is refused, and leaves nothing behind
			continue
		case row == rowNone:
			err = d.add(ctx, stream, s, true)
		default:
			err = d.hold(ctx, s.Holder)
		}
		if err != nil {
			return err
		}
		if err := d.handOn(ctx, left); err != nil {
			return err
		}
	}
	if len(full) > 0 {
		return &store.SlotsTaken{Full: full}
	}
	return nil
}

// full is the first pool that has no slot for a holder, nil if there is none.
func (d desk) full(ctx context.Context, s core.Slots) (*store.Full, error) {
	for _, p := range s.Pools {
		used, err := d.tx.InUse(ctx, p.Key)
		if err != nil {
			return nil, failed("slots in use of "+p.Key, err)
		}
		if used < int64(p.Limit) {
			continue
		}
		by, err := d.tx.HolderIn(ctx, p.Key)
		return &store.Full{Holder: s.Holder, Pool: p, By: by}, failed("who holds slots of "+p.Key, err)
	}
	return nil, nil
}

// queue puts holders into the queue, and hands those their slots who need not wait.
func (d desk) queue(ctx context.Context, stream string, all []core.Slots) error {
	for _, s := range all {
		row, left, err := d.enter(ctx, s)
		if err == nil && row == rowNone {
			err = d.add(ctx, stream, s, false)
		}
		if err != nil {
			return err
		}
		if row == rowHeld {
			continue
		}
		if err := d.give(ctx, s.Holder); err != nil {
			return err
		}
		if err := d.handOn(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

// rowState is what a holder has a row for.
type rowState int

const (
	rowNone  rowState = iota // nothing
	rowQueue                 // its place in the queue
	rowHeld                  // its slots
)

// enter finds the row of a holder, with its pools as they are now. If it had slots of
// other pools, it leaves them and has no row: those are to be handed on once the holder has
// its new ones, because it may keep one of its pools.
func (d desk) enter(ctx context.Context, s core.Slots) (has rowState, left map[string]bool, err error) {
	row, err := d.tx.SlotsOf(ctx, s.Holder)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return rowNone, nil, nil
	case err != nil:
		return rowNone, nil, failed("slots of "+s.Holder, err)
	}
	pools, err := d.tx.PoolsOf(ctx, s.Holder)
	if err != nil {
		return rowNone, nil, failed("pools of "+s.Holder, err)
	}
	if !samePools(pools, s.Pools) || row.Pool != s.Pools[0].Key {
		left = map[string]bool{}
		return rowNone, left, d.drop(ctx, s.Holder, left)
	}
	for _, p := range s.Pools {
		if err := d.tx.LimitPool(ctx, query.LimitPoolParams{Capacity: int64(p.Limit), Holder: s.Holder, Pool: p.Key}); err != nil {
			return rowNone, nil, failed("limit of "+p.Key, err)
		}
	}
	if row.Held == 1 {
		return rowHeld, nil, nil
	}
	return rowQueue, nil, nil
}

// add gives a holder a row: with its slots, or in the queue.
func (d desk) add(ctx context.Context, stream string, s core.Slots, held bool) error {
	err := d.tx.AddSlots(ctx, query.AddSlotsParams{
		Holder: s.Holder, Stream: stream, Project: s.Project, Pool: s.Pools[0].Key, Since: d.now, Held: flag(held),
	})
	for _, p := range s.Pools {
		if err == nil {
			err = d.tx.AddPool(ctx, query.AddPoolParams{
				Pool: p.Key, Held: flag(held), Project: s.Project, Holder: s.Holder, Capacity: int64(p.Limit),
			})
		}
	}
	return failed("slots for "+s.Holder, err)
}

func samePools(rows []query.PoolsOfRow, pools []core.SlotPool) bool {
	return len(rows) == len(pools) && !slices.ContainsFunc(pools, func(p core.SlotPool) bool {
		return !slices.ContainsFunc(rows, func(r query.PoolsOfRow) bool { return r.Pool == p.Key })
	})
}

func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Slots lists who holds slots and who waits for them.
func (s *Store) Slots(ctx context.Context, stream string) ([]store.SlotRow, error) {
	var rows []query.AllSlotsRow
	var err error
	if stream == "" {
		rows, err = s.read.AllSlots(ctx)
	} else {
		var of []query.StreamSlotsRow
		of, err = s.read.StreamSlots(ctx, stream)
		for _, row := range of {
			rows = append(rows, query.AllSlotsRow(row))
		}
	}
	if err != nil {
		return nil, s.explain(fmt.Errorf("slots: %w", err))
	}
	var all []store.SlotRow
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].Holder != r.Holder {
			all = append(all, store.SlotRow{
				Slots: core.Slots{Holder: r.Holder, Project: r.Project}, Stream: r.Stream, Since: fromMicros(r.Since), Held: r.Held == 1,
			})
		}
		last := &all[len(all)-1]
		last.Pools = append(last.Pools, core.SlotPool{Key: r.Pool, Limit: int(r.Capacity)})
	}
	return all, nil
}

// PlaceInLine is where a holder stands among those that wait.
func (s *Store) PlaceInLine(ctx context.Context, holder string) (int, error) {
	line, err := s.read.InLine(ctx, holder)
	if err != nil {
		return 0, s.explain(fmt.Errorf("place of %s: %w", holder, err))
	}
	return 1 + slices.Index(line, holder), nil
}
