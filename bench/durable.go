package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

const (
	durableRate   = 1000 // events a second
	durableTurn   = 2 * time.Second
	durableTail   = 3   // times the bare commit's p99
	durableGrowth = 1.2 // times the memory before
)

// durable has `stellwerk serve` make 1,000 events a second durable: people pause and resume 1,000 runs, each word a request of its own
// over HTTP and an event, at a steady pace. What is compared is the 99th of 100 words with the 99th of 100 bare commits, which are as
// many a second, over as many connections as the engine has. The two take turns. The engine's memory must be flat: what it holds in the
// last quarter of the turns, compared with the second. The worse of the two counts.
func durable(ctx context.Context, shop *workshop) (outcome, error) {
	if runtime.GOOS != "linux" {
		return outcome{skipped: "this system has no /proc"}, nil
	}
	return withServer(func(server *pgtest.Server) (o outcome, err error) {
		c, err := openCluster(ctx, shop, server, "durable")
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, c.close()) }()
		runs, err := c.settle(ctx, durableRate)
		if err == nil {
			err = c.join(ctx, 1)
		}
		if err == nil {
			err = c.owns(ctx, 0, len(runs))
		}
		if err == nil {
			err = c.until(ctx, 0, "SELECT count(*) FROM wakes WHERE wake_seq > done_seq")
		}
		if err != nil {
			return o, err
		}
		yardstick, err := openBareServer(ctx, server)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, yardstick.close(ctx)) }()
		return c.endure(ctx, yardstick, runs)
	})
}

// endure has words and bare commits take turns.
func (c *cluster) endure(ctx context.Context, yardstick *bareServer, runs []string) (o outcome, err error) {
	crowd, err := pgxpool.New(ctx, yardstick.conn.Config().ConnString()+"&pool_max_conns=8")
	if err != nil {
		return o, err
	}
	defer crowd.Close()
	member := c.members[0]
	people, err := openWords(ctx, c.members, runs)
	if err != nil {
		return o, err
	}
	defer people.close()
	var measured, base []time.Duration
	var memory []int64
	turns := c.shop.turns(8, 2*durableTurn)
	for range turns {
		bare, err := paced(ctx, durableRate, durableTurn, func(ctx context.Context, _ int) error {
			_, err := crowd.Exec(ctx, "INSERT INTO events (body) VALUES ($1)", yardstick.body)
			return err
		})
		if err != nil {
			return o, err
		}
		words, err := paced(ctx, durableRate, durableTurn, func(ctx context.Context, i int) error {
			return people.say(ctx, member, i%len(runs))
		})
		if err != nil {
			return o, err
		}
		held, err := resident(member.cmd.Process.Pid)
		if err != nil {
			return o, err
		}
		measured, base, memory = append(measured, p99(words)), append(base, p99(bare)), append(memory, held)
	}
	quarter := turns / 4
	growth := float64(median(memory[turns-quarter:])) / float64(median(memory[quarter:2*quarter]))
	o = compare(measured, base, short)
	o.measured = fmt.Sprintf("%s, %d MB × %.2f", o.measured, memory[len(memory)-1]/1e6, growth)
	o.ratio = max(o.ratio/durableTail, growth/durableGrowth)
	return o, nil
}
