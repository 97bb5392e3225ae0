package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// pageElsewhere compares the first byte of the page of a run of 500 tasks at an engine that does not own its project with that at the
// owner. Both are `stellwerk serve` on one database. Before the two requests somebody has said something to the run at the owner, and
// both engines have heard that it moved: the other has dropped what it knew of the run. Each is asked first in turns.
func pageElsewhere(ctx context.Context, shop *workshop) (outcome, error) {
	return withServer(func(server *pgtest.Server) (o outcome, err error) {
		c, err := openCluster(ctx, shop, server, "pages")
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		started, err := feature(0)
		if err != nil {
			return o, err
		}
		dir, err := shop.folder("page")
		if err == nil {
			err = managedRun(ctx, shop, dir, c.address, started)
		}
		if err == nil {
			err = c.join(ctx, 1)
		}
		if err == nil {
			err = c.owns(ctx, 0, 1)
		}
		if err == nil {
			err = c.join(ctx, 1)
		}
		if err != nil {
			return o, err
		}
		var measured, base []time.Duration
		for n := range shop.times(40) {
			if err := c.said(ctx, n); err != nil {
				return o, err
			}
			order := []int{0, 1}
			if n%2 == 1 {
				slices.Reverse(order)
			}
			var first [2]time.Duration
			for _, i := range order {
				a, err := c.members[i].get(ctx, "/runs/"+started.Run)
				if err != nil {
					return o, err
				}
				first[i] = a.first
			}
			base, measured = append(base, first[0]), append(measured, first[1])
		}
		return compare(measured, base, short), c.owns(ctx, 0, 1)
	})
}

// said has a person say something at the first engine, and returns when the others must have heard that something moved.
func (c *cluster) said(ctx context.Context, n int) error {
	_, err := c.members[0].svc.Speak(ctx, api.Speak{Project: "shop", Text: fmt.Sprintf("Note number %d is to be short.", n)})
	if err != nil {
		return err
	}
	const heard = 50 * time.Millisecond
	return sleep(ctx, heard)
}
