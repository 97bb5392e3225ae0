package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

const (
	openRuns       = 10_000
	openRunsMemory = 400 << 20
)

// takeUp compares how long `stellwerk serve` takes, from the start of its process until it owns the projects of 10,000 open runs that
// nobody owns, with ten times as long as it takes for 1,000. Each run has a project of its own, which is the hardest case. The most
// memory that the engine ever held counts, too, from its start until it has looked at every run: the worse of the two.
func takeUp(ctx context.Context, shop *workshop) (outcome, error) {
	return withServer(func(server *pgtest.Server) (o outcome, err error) {
		many := shop.times(openRuns)
		few, _, err := takenUp(ctx, shop, server, "few", many/10)
		if err != nil {
			return o, err
		}
		all, peak, err := takenUp(ctx, shop, server, "many", many)
		if err != nil {
			return o, err
		}
		slower := all.Seconds() / (10 * few.Seconds())
		return outcome{
			ratio:    max(slower/3, float64(peak)/openRunsMemory),
			measured: fmt.Sprintf("%s, %d MB", short(all), peak>>20), base: fmt.Sprintf("10 × %s", short(few)),
		}, nil
	})
}

// takenUp starts an engine on so many open runs. It returns how long that took, and the peak of its memory.
func takenUp(ctx context.Context, shop *workshop, server *pgtest.Server, name string, n int) (took time.Duration, peak int64, err error) {
	c, err := openCluster(ctx, shop, server, name)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	if _, err := c.settle(ctx, n); err != nil {
		return 0, 0, err
	}
	if _, err := shop.stellwerk(ctx); err != nil { // it is built before the clock starts
		return 0, 0, err
	}
	joined := make(chan error, 1)
	began := time.Now()
	go func() { joined <- c.join(ctx, 1) }()
	err = c.until(ctx, n, "SELECT count(*) FROM owners WHERE held")
	took = time.Since(began)
	if err = errors.Join(err, <-joined); err == nil {
		err = c.until(ctx, 0, "SELECT count(*) FROM wakes WHERE wake_seq > done_seq")
	}
	if err != nil {
		return took, 0, err
	}
	f := c.members[0]
	c.members = nil
	if err := f.close(); err != nil {
		return took, 0, err
	}
	peak, err = maxResident(f.cmd.ProcessState)
	return took, peak, err
}
