package app

import (
	"context"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// drainLook is how often an engine that drains looks whether attempts are at work on its machine.
const drainLook = 200 * time.Millisecond

// draining is what an engine needs to end when its attempts have.
type draining struct {
	spawner  spawn.Spawner   // of attempts
	children func() int      // workers that this process started; nil if the store is this engine's alone
	running  context.Context //nolint:containedctx // waiting goes on after the request for it, and ends with the engine
	over     sync.Once
}

// drain gives this engine's projects to others, and ends it when the attempts on its machine have ended or within has passed;
// with 0 it waits for as long as they take. It returns how many projects were given back, and how many attempts go on here.
func (a *App) drain(ctx context.Context, within time.Duration) (projects, attempts int, err error) {
	if err := a.roster.Draining(ctx); err != nil {
		return 0, 0, err
	}
	if projects, err = a.engine.Drain(ctx); err != nil {
		return projects, 0, err
	}
	if attempts, err = a.atWork(ctx); err != nil {
		return projects, 0, err
	}
	a.log.Info("the engine drains", "projects", projects, "attempts", attempts, "within", within)
	a.work.Go(func() { a.awaitAttempts(a.drains.running, within) })
	return projects, attempts, nil
}

// awaitAttempts ends the engine when nobody is at work here any more. A worker that is on its way to its attempt is seen by
// the second look.
func (a *App) awaitAttempts(ctx context.Context, within time.Duration) {
	var bound <-chan time.Time
	if within > 0 {
		timer := time.NewTimer(within)
		defer timer.Stop()
		bound = timer.C
	}
	tick := time.NewTicker(drainLook)
	defer tick.Stop()
	for idle := 0; idle < 2; {
		select {
		case <-ctx.Done():
			return
		case <-bound:
			a.log.Warn("the engine ends while attempts are at work on its machine", "waited", within)
			idle = 2
			continue
		case <-tick.C:
		}
		n, err := a.atWork(ctx)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				a.log.Error("look whether attempts are at work", "error", err)
			}
		case n == 0:
			idle++
		default:
			idle = 0
		}
	}
	a.drains.over.Do(func() {
		a.log.Info("the engine has drained")
		if a.opts.Drained != nil {
			a.opts.Drained()
		}
	})
}

// atWork counts the attempts whose workers live on this machine and need this engine, or one that follows it.
func (a *App) atWork(ctx context.Context) (n int, err error) {
	if a.place.Shared() {
		n, err = courier.Living(a.state.Workers())
		return max(n, a.drains.children()), err
	}
	open, err := a.store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return 0, err
	}
	for _, row := range open {
		run, err := a.engine.Load(ctx, row.ID)
		if err != nil {
			continue // whatever it has at work, this engine does not know of it
		}
		for _, attempt := range run.Active() {
			status, err := a.drains.spawner.Probe(ctx, spawn.ID{Run: run.ID, Attempt: attempt.ID})
			if err != nil {
				return 0, err
			}
			if status == spawn.Starting || status == spawn.Running {
				n++
			}
		}
	}
	return n, nil
}
