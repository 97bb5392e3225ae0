package main

import (
	"context"
	"errors"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// longRun compares the cost of a step of a run of 10,000 events with that of a
// run of 100. Both live in one engine on one database. What is timed is a
// block of consecutive steps, the same ones on both sides, in turns; the short
// run is a fresh one each time, so that it stays short. Three costs are
// compared, and the worst counts: the time a step takes, the processor time it
// takes, and the time of the first step after a restart of the engine.
func longRun(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("long-run")
	if err != nil {
		return o, err
	}
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	var young, old costs
	started, err := feature(0)
	if err != nil {
		return o, err
	}
	long, err := l.take(ctx, started, 10_000)
	if err != nil {
		return o, err
	}
	for n := range shop.times(40) {
		started, err := feature(n + 1)
		if err != nil {
			return o, err
		}
		fresh, err := l.take(ctx, started, 100)
		if err != nil {
			return o, err
		}
		if _, err := young.add(ctx, l, fresh); err != nil {
			return o, err
		}
		if long, err = old.add(ctx, l, long); err != nil {
			return o, err
		}
	}
	return worst(compare(old.wall, young.wall, short), compare(old.cpu, young.cpu, short), compare(old.cold, young.cold, short)), nil
}

// costs are what blocks of steps cost.
type costs struct{ wall, cpu, cold []time.Duration }

// block is how many steps are timed together: about one way from the first
// stage to the last gate, so that every kind of step is among them.
const block = 24

func (c *costs) add(ctx context.Context, l *line, r *core.Run) (*core.Run, error) {
	if err := rest(); err != nil {
		return r, err
	}
	cpu, err := cpuTime()
	if err != nil {
		return r, err
	}
	wall, err := timed(func() error {
		for range block {
			if r, err = l.step(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	after, err := cpuTime()
	if err != nil {
		return r, err
	}
	c.wall, c.cpu = append(c.wall, wall/block), append(c.cpu, (after-cpu)/block)
	return c.restart(ctx, l, r)
}

// rest returns when the engine does nothing any more: after its start it takes up every open run, which is no cost of a step.
func rest() error {
	const pause = 10 * time.Millisecond
	for {
		before, err := cpuTime()
		if err != nil {
			return err
		}
		time.Sleep(pause)
		if after, err := cpuTime(); err != nil || after-before < pause/10 {
			return err
		}
	}
}

// restart takes one step with an engine that has not seen the run before.
func (c *costs) restart(ctx context.Context, l *line, r *core.Run) (*core.Run, error) {
	if err := l.halt(); err != nil {
		return r, err
	}
	l.start(ctx)
	cold, err := timed(func() (err error) {
		r, err = l.step(ctx, r)
		return err
	})
	c.cold = append(c.cold, cold)
	return r, err
}

func worst(all ...outcome) outcome {
	w := all[0]
	for _, o := range all {
		if o.ratio > w.ratio {
			w = o
		}
	}
	return w
}
