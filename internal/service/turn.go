package service

import (
	"context"
	"errors"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// turns says of tasks that wait for slots what keeps them waiting. It reads who holds slots once, and only if it is
// asked about a run that waits.
type turns struct {
	store   store.Store
	rows    []store.SlotRow
	read    bool
	aliases map[string]string // aliases by run
}

// run says that nothing of a run is at work because its attempts wait for slots.
func (l *turns) run(ctx context.Context, run *core.Run, v *api.Run) error {
	for _, s := range run.Stages {
		for _, t := range s.Tasks {
			text, _, err := l.task(ctx, run, t)
			if err != nil {
				return err
			}
			if a := t.Last(); text == "" && (a != nil && a.Status.Active() || t.Status == core.TaskVerifying) {
				v.Turn = ""
				return nil
			}
			if v.Turn == "" {
				v.Turn = text
			}
		}
	}
	return nil
}

// task says what a task waits for until it has its slots, and its place in the line; "" if it is not in line.
func (l *turns) task(ctx context.Context, run *core.Run, t *core.Task) (text string, place int, err error) {
	holder, claim, err := l.waiter(ctx, run, t)
	if err != nil || holder == "" {
		return "", 0, err
	}
	if place, err = l.store.PlaceInLine(ctx, holder); err != nil {
		return "", 0, err
	}
	holders, err := l.holders(ctx, claim.Key)
	return wording.Turn(claim, holders, place), place, err
}

// waiter is the attempt of a task that waits for slots, and the pool that is full for it. It is the task's next attempt, or one that
// was about to begin when an engine on another machine came to own the project and had no slot for it.
func (l *turns) waiter(ctx context.Context, run *core.Run, t *core.Task) (holder string, claim core.Claim, err error) {
	if run.InLine(t) {
		return run.Waiter(t), *t.Blocked, nil
	}
	a := t.Last()
	if a == nil || a.Status != core.AttemptPending {
		return "", claim, nil
	}
	if err := l.load(ctx); err != nil {
		return "", claim, err
	}
	holder = core.SlotHolder(run.ID, a.ID)
	i := slices.IndexFunc(l.rows, func(r store.SlotRow) bool { return r.Holder == holder && !r.Held })
	if i < 0 {
		return "", claim, nil
	}
	full := l.rows[i].Pools[0]
	for _, p := range l.rows[i].Pools {
		if l.used(p.Key) >= p.Limit {
			full = p
			break
		}
	}
	return holder, core.Claim{Kind: core.ClaimSlot, Key: full.Key, Holder: holder, Limit: full.Limit}, nil
}

// load reads who has slots and who waits for them, once.
func (l *turns) load(ctx context.Context) (err error) {
	if l.read {
		return nil
	}
	if l.rows, err = l.store.Slots(ctx, ""); err != nil {
		return err
	}
	l.read, l.aliases = true, map[string]string{}
	return nil
}

func holds(r store.SlotRow, pool string) bool {
	return r.Held && slices.ContainsFunc(r.Pools, func(p core.SlotPool) bool { return p.Key == pool })
}

// used counts the slots of a pool that somebody has.
func (l *turns) used(pool string) (n int) {
	for _, row := range l.rows {
		if holds(row, pool) {
			n++
		}
	}
	return n
}

// holders are the aliases of the runs that have slots of a pool.
func (l *turns) holders(ctx context.Context, pool string) (runs []string, err error) {
	if err := l.load(ctx); err != nil {
		return nil, err
	}
	for _, row := range l.rows {
		if !holds(row, pool) {
			continue
		}
		_, id := core.StreamKind(row.Stream)
		if _, known := l.aliases[id]; !known {
			of, err := l.store.Run(ctx, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			l.aliases[id] = of.Alias
		}
		if alias := l.aliases[id]; alias != "" && !slices.Contains(runs, alias) {
			runs = append(runs, alias)
		}
	}
	return runs, nil
}
