package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

const (
	waitingSlots  = 8
	waitingPhases = 4 // of each run, one after another
	waitingPause  = 50 * time.Millisecond
)

// waiting compares how many events a finished task costs while 1,000 runs wait
// behind 8 at work with how many it costs while 10 do. The agents take so long that
// the slots are what is short, and nothing is verified in earnest; engine, store and
// journal are the program's own.
func waiting(ctx context.Context, shop *workshop) (o outcome, err error) {
	many := 1000
	if shop.quick {
		many = 200
	}
	measured, err := eventsOfATask(ctx, shop, many)
	if err != nil {
		return o, err
	}
	base, err := eventsOfATask(ctx, shop, 10)
	if err != nil {
		return o, err
	}
	return outcome{ratio: measured / base, measured: fmt.Sprintf("%.2f", measured), base: fmt.Sprintf("%.2f", base)}, nil
}

func eventsOfATask(ctx context.Context, shop *workshop, waiting int) (n float64, err error) {
	dir, err := shop.folder(fmt.Sprintf("waiting-%d", waiting))
	if err != nil {
		return 0, err
	}
	crew := &crew{left: waiting + waitingSlots, seen: map[string]bool{}, done: make(chan struct{})}
	l, err := openLineWith(ctx, shop, dir, crew)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	crew.engine = l.engine
	ctx, cancel := context.WithCancel(ctx)
	defer crew.work.Wait()
	defer cancel()
	crew.ctx = ctx
	runs := waiting + waitingSlots
	for i := range runs {
		started := someWork(i)
		if _, err := l.engine.Submit(ctx, started.Run, person(), started); err != nil {
			return 0, err
		}
	}
	select {
	case <-crew.done:
	case <-ctx.Done():
	}
	if err := errors.Join(ctx.Err(), crew.failed); err != nil {
		return 0, err
	}
	var events int64
	for i := range runs {
		head, err := l.parts.Store.Head(ctx, core.RunStream(someWork(i).Run))
		if err != nil {
			return 0, err
		}
		events += head.Seq
	}
	return float64(events) / float64(runs*waitingPhases), nil
}

// someWork is a run of phases that nobody has to approve, in one of 50 projects.
func someWork(n int) core.RunStarted {
	p := core.Playbook{Name: "bench", Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}}
	for i := range waitingPhases {
		p.Phases = append(p.Phases, core.Phase{
			ID: fmt.Sprint("part", i), Role: "dev", Writes: core.WritesCode, Gate: core.GateAuto, Attempts: 2, Timeout: time.Hour,
			Done: core.Check{Kind: core.CheckAll},
		})
	}
	limits := core.DefaultLimits()
	limits.Parallel = waitingSlots
	return core.RunStarted{
		Run: fmt.Sprintf("0199a000-0000-7000-8000-%012x", n), Alias: fmt.Sprint("part-", n), Project: fmt.Sprint("bench-", n%50), Goal: "all of it",
		Title: "All of it", Playbook: p, Limits: limits, Base: "main", BaseCommit: commit(1), Branch: fmt.Sprint("feature/", n), Isolation: "none",
		Identity: core.Identity{Name: "Bench", Email: "bench@example.org"},
	}
}

// crew executes effects by saying what they lead to, attempts after a known time.
type crew struct {
	engine *engine.Engine
	ctx    context.Context
	work   sync.WaitGroup
	done   chan struct{} // closed when every run is over, or something failed

	mu     sync.Mutex
	seen   map[string]bool
	left   int
	failed error
}

func (c *crew) Prepare(*core.Run, int64, []core.Action) {}

func (c *crew) Release(string) {}

func (c *crew) StartEpic(*core.Project, int64, *core.QueuedEpic) {}

func (c *crew) Reconcile(r *core.Run, _ int64, actions []core.Action) {
	if r.Status.Terminal() && len(actions) == 0 && c.first(r.ID) {
		c.over(nil)
	}
	for _, a := range actions {
		if !c.first(fmt.Sprintf("%s %T %+v", r.ID, a, a)) {
			continue
		}
		c.work.Go(func() {
			if _, attempt := a.(core.WatchAttempt); attempt {
				select {
				case <-time.After(waitingPause):
				case <-c.ctx.Done():
					return
				}
			}
			if _, err := c.engine.Submit(c.ctx, r.ID, core.Engine(), conclude(r, a)); err != nil && c.ctx.Err() == nil {
				c.over(fmt.Errorf("%s of %s: %w", fmt.Sprintf("%T", a), r.Alias, err))
			}
		})
	}
}

func (c *crew) first(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.seen[key]
	c.seen[key] = true
	return !known
}

// over counts a run that has ended, or ends everything because of a failure.
func (c *crew) over(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return
	}
	if c.left--; err != nil {
		c.failed, c.left = err, 0
	}
	if c.left == 0 {
		close(c.done)
	}
}
