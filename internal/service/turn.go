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
			if a := t.Last(); a != nil && a.Status.Active() || t.Status == core.TaskVerifying {
				v.Turn = ""
				return nil
			}
			if v.Turn != "" || !run.InLine(t) {
				continue
			}
			text, _, err := l.task(ctx, run, t)
			if err != nil {
				return err
			}
			v.Turn = text
		}
	}
	return nil
}

// task says what a task that is in line waits for, and its place in the line.
func (l *turns) task(ctx context.Context, run *core.Run, t *core.Task) (text string, place int, err error) {
	if place, err = l.store.PlaceInLine(ctx, run.Waiter(t)); err != nil {
		return "", 0, err
	}
	holders, err := l.holders(ctx, t.Blocked.Key)
	return wording.Turn(*t.Blocked, holders, place), place, err
}

// holders are the aliases of the runs that have slots of a pool.
func (l *turns) holders(ctx context.Context, pool string) (runs []string, err error) {
	if !l.read {
		if l.rows, err = l.store.Slots(ctx, ""); err != nil {
			return nil, err
		}
		l.read, l.aliases = true, map[string]string{}
	}
	for _, row := range l.rows {
		if !row.Held || !slices.ContainsFunc(row.Pools, func(p core.SlotPool) bool { return p.Key == pool }) {
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
