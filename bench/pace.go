package main

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// pacedAtOnce is how many of the things that are done at a pace are under way at most.
const pacedAtOnce = 200

// paced does something at a steady pace, whether or not what came before has ended, and returns how long each took from the moment it
// was due. So one that waits behind others counts with its wait.
func paced(ctx context.Context, perSecond int, during time.Duration, do func(context.Context, int) error) ([]time.Duration, error) {
	took := make([]time.Duration, int(during.Seconds()*float64(perSecond)))
	work, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	began := time.Now()
	for range pacedAtOnce {
		work.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(took) {
					return nil
				}
				due := began.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
				if err := sleep(ctx, time.Until(due)); err != nil {
					return err
				}
				if err := do(ctx, i); err != nil {
					return err
				}
				took[i] = time.Since(due)
			}
		})
	}
	return took, work.Wait()
}
