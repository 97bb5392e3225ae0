package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// steps compares how many steps 100 runs take a second with how many bare
// commits one writer makes. A step is one event brought in by Submit with all
// decisions that follow, committed, its manifest lines on disk; the engine
// looks at the hints meanwhile. Nobody executes effects: what they lead to is
// the next step. A bare commit is one INSERT. Fifths of a second of the one
// and of the other take turns.
func steps(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("steps")
	if err != nil {
		return o, err
	}
	yardstick, err := openBare(ctx, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, yardstick.close()) }()
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	runs, err := begin(ctx, l, 100)
	if err != nil {
		return o, err
	}
	var measured, base []float64
	for range shop.times(60) {
		bare, err := yardstick.rate(ctx, time.Second/5)
		if err != nil {
			return o, err
		}
		rate, err := together(ctx, l, runs, time.Second/5)
		if err != nil {
			return o, err
		}
		measured, base = append(measured, rate), append(base, bare)
	}
	return compare(measured, base, func(rate float64) string { return fmt.Sprintf("%.0f/s", rate) }), nil
}

func begin(ctx context.Context, l *line, n int) ([]*core.Run, error) {
	runs := make([]*core.Run, n)
	for i := range runs {
		started, err := feature(i)
		if err != nil {
			return nil, err
		}
		if runs[i], err = l.engine.Submit(ctx, started.Run, person(), started); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// together lets all runs go on at once and returns the steps per second.
func together(ctx context.Context, l *line, runs []*core.Run, during time.Duration) (float64, error) {
	var done atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, len(runs))
	began := time.Now()
	for i := range runs {
		all.Go(func() {
			for time.Since(began) < during && failures[i] == nil {
				var r *core.Run
				if r, failures[i] = l.step(ctx, runs[i]); failures[i] == nil {
					runs[i] = r
					done.Add(1)
				}
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(began).Seconds(), errors.Join(failures...)
}
