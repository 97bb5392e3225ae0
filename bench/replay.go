package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// replay measures the processor time of `stellwerk replay` on a run of 100,000
// events, as the engine carries it out: every event is read from the store,
// its hash checked, its state derived, and its decision derived again and
// compared. The limit is absolute.
func replay(ctx context.Context, shop *workshop) (o outcome, err error) {
	const events = 100_000
	dir, err := shop.folder("replay")
	if err != nil {
		return o, err
	}
	id, err := longHistory(ctx, shop, dir, events)
	if err != nil {
		return o, err
	}
	a, err := app.Open(ctx, app.Options{State: dir, Version: "bench"})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	var spent []time.Duration
	for range shop.times(5) {
		before, err := cpuTime()
		if err != nil {
			return o, err
		}
		result, err := a.Service.Replay(ctx, id)
		if err != nil {
			return o, err
		}
		after, err := cpuTime()
		if err != nil {
			return o, err
		}
		if !result.StateEqual || result.Difference != "" || result.Events < events {
			return o, fmt.Errorf("the replay does not give the same run: %+v", result)
		}
		spent = append(spent, after-before)
	}
	m := median(spent)
	return outcome{ratio: m.Seconds() / 2, measured: short(m)}, nil
}

// longHistory leaves a run of n events in a state folder. It is cancelled at
// the end, so that an engine finds nothing to do.
func longHistory(ctx context.Context, shop *workshop, dir string, n int) (string, error) {
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return "", err
	}
	started, err := feature(0)
	if err == nil {
		_, err = l.take(ctx, started, n)
	}
	if err == nil {
		err = l.end(ctx, started.Run)
	}
	return started.Run, errors.Join(err, l.close())
}

// end cancels a run and concludes what that asks for.
func (l *line) end(ctx context.Context, id string) error {
	r, err := l.engine.Submit(ctx, id, person(), core.RunCancelled{Reason: "measured"})
	for err == nil && len(core.Effects(r)) > 0 {
		r, err = l.engine.Submit(ctx, id, core.Engine(), conclude(r, core.Effects(r)[0]))
	}
	return err
}
