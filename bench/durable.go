package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	durableRate   = 1000 // events a second
	durableTurn   = 2 * time.Second
	durableTail   = 3   // times the bare commit's p99
	durableGrowth = 1.2 // times the memory before
)

// durable has an engine make 1,000 events a second durable at a steady pace: words of people, who pause and resume 1,000 runs, each a step
// of its own with its manifest line. What is compared is the 99th of 100 of all steps with the 99th of 100 of all bare commits, which are
// as many a second, over as many connections as the engine has. The two take turns. The memory of the process must be flat: what it holds
// in the last quarter of the turns, compared with the second. The worse of the two counts.
func durable(ctx context.Context, shop *workshop) (outcome, error) {
	if runtime.GOOS != "linux" {
		return outcome{skipped: "this system has no /proc"}, nil
	}
	return withYardstick(ctx, shop, "team-durable", durableRate, func(l *line, runs []*core.Run, yardstick *bareServer) (outcome, error) {
		return endure(ctx, shop, l, yardstick, runs)
	})
}

// rested is a run that people have rest and go on in turns. What is said to it waits until it has heard what was said before.
type rested struct {
	mu  sync.Mutex
	run *core.Run
}

func (r *rested) say(ctx context.Context, l *line) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var word core.Body = core.RunPaused{Code: core.PausePerson, Reason: "measured", Advice: core.Advice{Choices: r.run.Choices(core.VerbResume)}}
	if r.run.Pause != nil {
		word = core.RunResumed{}
	}
	run, err := l.engine.Submit(ctx, r.run.ID, person(), word)
	if err == nil {
		r.run = run
	}
	return err
}

// endure has words and bare commits take turns.
func endure(ctx context.Context, shop *workshop, l *line, yardstick *bareServer, runs []*core.Run) (o outcome, err error) {
	crowd, err := pgxpool.New(ctx, yardstick.conn.Config().ConnString()+"&pool_max_conns=8")
	if err != nil {
		return o, err
	}
	defer crowd.Close()
	people := make([]rested, len(runs))
	for i, run := range runs {
		people[i].run = run
	}
	var measured, base []time.Duration // of every turn
	var memory []int64
	turns := shop.turns(8, 2*durableTurn)
	for range turns {
		bare, err := paced(ctx, durableRate, durableTurn, func(ctx context.Context, _ int) error {
			_, err := crowd.Exec(ctx, "INSERT INTO events (body) VALUES ($1)", yardstick.body)
			return err
		})
		if err != nil {
			return o, err
		}
		words, err := paced(ctx, durableRate, durableTurn, func(ctx context.Context, i int) error {
			return people[i%len(people)].say(ctx, l)
		})
		if err != nil {
			return o, err
		}
		held, err := resident(os.Getpid())
		if err != nil {
			return o, err
		}
		measured, base, memory = append(measured, words...), append(base, bare...), append(memory, held)
	}
	quarter := turns / 4
	growth := float64(median(memory[turns-quarter:])) / float64(median(memory[quarter:2*quarter]))
	slow, bare := p99(measured), p99(base)
	return outcome{
		ratio:    max(float64(slow)/float64(bare)/durableTail, growth/durableGrowth),
		measured: fmt.Sprintf("%s, %d MB × %.2f", short(slow), memory[len(memory)-1]/1e6, growth), base: short(bare),
	}, nil
}
