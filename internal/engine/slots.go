package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// holdings are what a run has in the store by its state: claims, and the slots
// that its attempts hold or wait for.
type holdings struct {
	claims       []core.Claim
	held, wanted []core.Slots
}

// Place is where this engine's attempts take their slots.
func (e *Engine) Place() string { return e.opts.Place }

func (e *Engine) holdings(r *core.Run) holdings {
	return holdings{core.Claims(r), core.HeldSlots(r, e.opts.Place), core.WantedSlots(r, e.opts.Place)}
}

// since has a commit change what a run had before into what it has now.
func (h holdings) since(before holdings, c *store.Commit) {
	c.Acquire, c.Release = difference(before.claims, h.claims)
	for _, s := range h.held {
		if !has(before.held, s) {
			c.Take = append(c.Take, s)
		}
	}
	for _, s := range h.wanted {
		if !slices.ContainsFunc(before.wanted, func(w core.Slots) bool { return same(w, s) }) {
			c.Queue = append(c.Queue, s)
		}
	}
	for _, s := range slices.Concat(before.held, before.wanted) {
		if !has(h.held, s) && !has(h.wanted, s) && !planted.Is("slotleak") {
			c.Free = append(c.Free, s.Holder)
		}
	}
}

func has(all []core.Slots, s core.Slots) bool {
	return slices.ContainsFunc(all, func(of core.Slots) bool { return of.Holder == s.Holder })
}

func same(a, b core.Slots) bool { return a.Holder == b.Holder && slices.Equal(a.Pools, b.Pools) }

func difference(before, after []core.Claim) (acquire, release []core.Claim) {
	for _, c := range after {
		if !slices.Contains(before, c) {
			acquire = append(acquire, c)
		}
	}
	for _, c := range before {
		if !slices.Contains(after, c) {
			release = append(release, c)
		}
	}
	return acquire, release
}

// wait notes which attempts have to wait for slots. It reports false if one was to
// wait before: the decider asks for it nevertheless.
func (r *refusals) wait(full []store.Full) bool {
	for _, f := range full {
		if _, told := r.slots[f.Holder]; told {
			return false
		}
		r.slots[f.Holder] = f
	}
	return true
}

// granted is what becomes of a decision: itself, or the wait for the slots it needs.
func granted(run string, actor core.Actor, body core.Body, refused map[string]store.Full) (core.Actor, core.Body) {
	wanted, ok := body.(core.AttemptRequested)
	if !ok {
		return actor, body
	}
	full, ok := refused[core.SlotHolder(run, wanted.Attempt)]
	if !ok {
		return actor, body
	}
	claim := core.Claim{Kind: core.ClaimSlot, Key: full.Pool.Key, Holder: full.Holder, Limit: full.Pool.Limit}
	return core.Engine(), core.ClaimRefused{Task: wanted.Task, Claim: claim, Holder: full.By}
}

// inLine begins the attempts that were handed their slots since the run was looked
// at, and sees that the others have their place in the queue: a database of before,
// or an engine at another place, may not have given them one.
func (e *Engine) inLine(ctx context.Context, s *stream, fence int64) error {
	if len(s.has.wanted) == 0 {
		return nil
	}
	rows, err := e.store.Slots(ctx, s.name)
	if err != nil {
		return err
	}
	row := func(w core.Slots) int {
		return slices.IndexFunc(rows, func(r store.SlotRow) bool { return same(r.Slots, w) })
	}
	lost := slices.DeleteFunc(slices.Clone(s.has.wanted), func(w core.Slots) bool { return row(w) >= 0 })
	if len(lost) > 0 {
		again := s.slotCommit(fence)
		again.Queue = lost
		if err := e.store.Commit(ctx, again); err != nil {
			return err
		}
		if rows, err = e.store.Slots(ctx, s.name); err != nil {
			return err
		}
	}
	for _, w := range s.has.wanted {
		if i := row(w); i >= 0 && rows[i].Held {
			if err := e.handed(ctx, s, fence, w.Holder); err != nil {
				return err
			}
		}
	}
	return nil
}

// Seat reports that an attempt that nobody has begun has its slots at this engine's place, and may begin there. While nobody
// owned the project, it took them where the word was said, and the owner before may have had another place: such an attempt
// gives them up for those here. If there are none, it waits in the queue, and the run is hinted at when its turn comes.
// Slots are the store's, so no event tells of it.
func (e *Engine) Seat(ctx context.Context, run *core.Run, fence int64, attempt string) (bool, error) {
	if held, here, err := e.seated(ctx, run, attempt); err != nil || here {
		return held, err
	}
	s := e.streams.get(core.RunStream(run.ID))
	s.mu.Lock()
	defer s.mu.Unlock()
	err := e.aside(ctx, s, fence, func(c *store.Commit) {
		if want := e.pending(s.run, attempt); want != nil {
			c.Queue = []core.Slots{*want}
		}
	})
	if err != nil || s.run == nil {
		return false, err
	}
	held, _, err := e.seated(ctx, s.run, attempt)
	return held, err
}

// seated reports that an attempt that has not begun has its slots, and that it has them or waits for them at this engine's place.
func (e *Engine) seated(ctx context.Context, run *core.Run, attempt string) (held, here bool, err error) {
	want := e.pending(run, attempt)
	if want == nil {
		return false, true, nil // nobody is to begin it any more
	}
	rows, err := e.store.Slots(ctx, core.RunStream(run.ID))
	i := slices.IndexFunc(rows, func(r store.SlotRow) bool { return r.Holder == want.Holder })
	if err != nil || i < 0 || rows[i].Pools[0].Key != want.Pools[0].Key {
		return false, false, err
	}
	return rows[i].Held, true, nil
}

// pending are the slots of an attempt at this engine's place; nil if it has begun, or is not to.
func (e *Engine) pending(run *core.Run, attempt string) *core.Slots {
	all := core.PendingSlots(run, e.opts.Place)
	i := slices.IndexFunc(all, func(s core.Slots) bool { return s.Holder == core.SlotHolder(run.ID, attempt) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Vacate gives back the slots of an attempt whose agent has ended, before its end is on
// record: what it left is still to be taken over, and meanwhile the next agent can
// work. Slots are the store's, so no event tells of it; the attempt's own end finds
// them given back.
func (e *Engine) Vacate(ctx context.Context, run string, fence int64, attempt string) error {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.aside(ctx, s, fence, func(c *store.Commit) {
		if holder := core.SlotHolder(run, attempt); has(s.has.held, core.Slots{Holder: holder}) {
			c.Free = []string{holder}
		}
	})
}

// aside changes slots of a run without an event, as the newest state has it.
func (e *Engine) aside(ctx context.Context, s *stream, fence int64, change func(*store.Commit)) error {
	for {
		if err := e.load(ctx, s); err != nil || s.run == nil {
			return err
		}
		c := s.slotCommit(fence)
		if change(&c); len(c.Free)+len(c.Queue) == 0 {
			return nil
		}
		err := e.store.Commit(ctx, c)
		if !errors.Is(err, store.ErrStale) {
			return err
		}
		s.drop() // another engine has moved it on
	}
}

// slotCommit is a commit without events.
func (s *stream) slotCommit(fence int64) store.Commit {
	return store.Commit{Stream: s.name, Of: s.run.Project, Fence: fence, After: s.head.Seq, DueAt: due(s.run), Attended: true}
}

// handed tells a run that one of its attempts was handed its slots.
func (e *Engine) handed(ctx context.Context, s *stream, fence int64, holder string) error {
	for _, st := range s.run.Stages {
		for _, t := range st.Tasks {
			if s.run.InLine(t) && s.run.Waiter(t) == holder {
				_, err := e.attempt(ctx, s, input{core.Engine(), core.ClaimFreed{Task: t.ID, Claim: *t.Blocked}, fence})
				return err
			}
		}
	}
	return nil
}
