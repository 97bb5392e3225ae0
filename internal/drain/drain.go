// Package drain ends an engine whose work others are to take over: it gives the engine's projects away, and waits until no
// attempt needs this machine any more. It must not end an attempt.
package drain

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// look is how often a draining engine looks whether attempts are at work on its machine.
const look = 200 * time.Millisecond

// Engine is what draining needs of one.
type Engine interface {
	Drain(ctx context.Context) (projects int, err error)
	Load(ctx context.Context, run string) (*core.Run, error)
}

// Store lists the open runs.
type Store interface {
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
}

// Options are what a drain works with.
type Options struct {
	Engine  Engine
	Store   Store
	Spawner spawn.Spawner
	// Announce tells the other engines.
	Announce func(ctx context.Context) error
	// Workers is the folder of the workers that share nothing with this engine, and Children how many of them this process
	// started. Workers is "" if attempts are this engine's alone.
	Workers  string
	Children func() int
	// Over is called once, when nobody is at work any more.
	Over func()
	Log  *slog.Logger
}

// Drain is that of one engine. It can be asked for more than once.
type Drain struct {
	Options
	over sync.Once
}

// New prepares a drain; nothing happens yet.
func New(opts Options) *Drain { return &Drain{Options: opts} }

// Begin gives the projects away. It returns how many, and how many attempts go on here.
func (d *Drain) Begin(ctx context.Context) (projects, attempts int, err error) {
	if err := d.Announce(ctx); err != nil {
		return 0, 0, err
	}
	if projects, err = d.Engine.Drain(ctx); err != nil {
		return projects, 0, err
	}
	attempts, err = d.atWork(ctx)
	return projects, attempts, err
}

// Await calls Over when the attempts on this machine have ended, or within has passed; with 0 it waits for as long as they
// take. It returns without that if ctx ends. A worker that is on its way to its attempt is seen by the second look.
func (d *Drain) Await(ctx context.Context, within time.Duration) {
	var bound <-chan time.Time
	if within > 0 {
		timer := time.NewTimer(within)
		defer timer.Stop()
		bound = timer.C
	}
	tick := time.NewTicker(look)
	defer tick.Stop()
	for idle := 0; idle < 2; {
		select {
		case <-ctx.Done():
			return
		case <-bound:
			d.Log.Warn("the engine ends while attempts are at work on its machine", "waited", within)
			idle = 2
			continue
		case <-tick.C:
		}
		n, err := d.atWork(ctx)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				d.Log.Error("look whether attempts are at work", "error", err)
			}
		case n == 0:
			idle++
		default:
			idle = 0
		}
	}
	d.over.Do(d.Over)
}

// atWork counts the attempts whose workers live on this machine and need this engine, or one that follows it.
func (d *Drain) atWork(ctx context.Context) (n int, err error) {
	if d.Workers != "" {
		n, err = courier.Living(d.Workers)
		return max(n, d.Children()), err
	}
	open, err := d.Store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return 0, err
	}
	for _, row := range open {
		run, err := d.Engine.Load(ctx, row.ID)
		if err != nil {
			continue // whatever it has at work, this engine does not know of it
		}
		for _, attempt := range run.Active() {
			status, err := d.Spawner.Probe(ctx, spawn.ID{Run: run.ID, Attempt: attempt.ID})
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
