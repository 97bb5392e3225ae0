package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// idlePlaybook has an agent that does nothing and a check that does not hold,
// so that a run pauses after one attempt and a person's words start the next.
const idlePlaybook = `
name: bench
kind: phases
agents: {idle: {use: command, run: ["true"]}}
roles: {dev: {agent: idle, prompt: Work.}}
phases:
  - id: build
    role: dev
    attempts: 1
    done: [{changed: "*.txt"}]
`

// start measures, in an engine with nothing else to do, the time from a
// person's word (feedback) to the moment its consequence, the process beside
// the agent, has been started: the event and its decision are committed, the
// manifest is on disk, inputs, prompt and spec are written, the program is
// forked and executed. The time of the workspace is apart: the median of the
// same workspace, made beside it in each repetition, is taken off the median
// of the whole. The other side
// is two bare commits, one after the other, and the fork and exec of the same
// program. On both sides a process is started when exec has succeeded.
func start(ctx context.Context, shop *workshop) (o outcome, err error) {
	s, err := openStation(ctx, shop, "start", idlePlaybook, nil)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	yardstick, err := openBare(ctx, shop.dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, yardstick.close()) }()
	run, err := s.run(ctx, "be started")
	if err != nil {
		return o, err
	}
	<-s.spawner.started
	var whole, spaces, base []time.Duration
	seq := run.Seq
	for len(whole) < shop.times(80) {
		told, err := s.await(ctx, run.ID, seq, core.TypePersonNotified)
		if err != nil {
			return o, err
		}
		seq = told.Seq
		b, err := commitsAndFork(ctx, shop, yardstick)
		if err != nil {
			return o, err
		}
		space, err := s.repo.timedWorkspace(ctx, filepath.Join(filepath.Dir(s.state), fmt.Sprintf("beside-%d", seq)))
		if err != nil {
			return o, err
		}
		m, err := s.again(ctx, run.ID)
		if err != nil {
			return o, err
		}
		whole, spaces, base = append(whole, m), append(spaces, space), append(base, b)
	}
	if _, err := s.await(ctx, run.ID, seq, core.TypePersonNotified); err != nil { // the last attempt's end
		return o, err
	}
	m, b := median(whole)-median(spaces), median(base)
	return outcome{ratio: float64(m) / float64(b), measured: short(m), base: short(b)}, nil
}

// again is the time from a person's word until the process is started. A retry
// would look at what was handed in first.
func (s *station) again(ctx context.Context, run string) (time.Duration, error) {
	began := time.Now()
	if _, err := s.app.Service.Feedback(asPerson(ctx), run, api.Feedback{Text: "once more", Reset: true}); err != nil {
		return 0, err
	}
	m := <-s.spawner.started
	return m.at.Sub(began), m.err
}

// moment is when a start was over.
type moment struct {
	at  time.Time
	err error
}

// Start implements spawn.Spawner.
func (c *clockedSpawner) Start(ctx context.Context, order spawn.Order) error {
	err := c.Spawner.Start(ctx, order)
	select {
	case c.started <- moment{time.Now(), err}:
	default:
	}
	return err
}

func commitsAndFork(ctx context.Context, shop *workshop, yardstick *bare) (time.Duration, error) {
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, program, "version")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	took, err := timed(func() error {
		for range 2 {
			if err := yardstick.commit(ctx); err != nil {
				return err
			}
		}
		return cmd.Start()
	})
	if err != nil {
		return 0, err
	}
	return took, cmd.Wait()
}
