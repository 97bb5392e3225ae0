package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
)

// withServer runs fn with a PostgreSQL server that waits for the disk.
func withServer(fn func(*pgtest.Server) (outcome, error)) (o outcome, err error) {
	server, err := pgtest.Start()
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	return fn(server)
}

// withYardstick runs fn with so many runs of a line on such a server, and with bare commits beside them.
func withYardstick(
	ctx context.Context, shop *workshop, name string, n int, fn func(*line, []*core.Run, *bareServer) (outcome, error),
) (outcome, error) {
	return withServer(func(server *pgtest.Server) (o outcome, err error) {
		address, err := server.Create(ctx, "stellwerk")
		if err != nil {
			return o, err
		}
		dir, err := shop.folder(name)
		if err != nil {
			return o, err
		}
		l, err := openLineOn(ctx, shop, dir, address)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, l.close()) }()
		runs, err := begin(ctx, l, n)
		if err != nil {
			return o, err
		}
		yardstick, err := openBareServer(ctx, server)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, yardstick.close(ctx)) }()
		return fn(l, runs, yardstick)
	})
}

// wakes compares how soon the engine that owns a run acts upon a word that was given to another engine with how soon a worker of
// River's begins a job that was inserted elsewhere: both on one server, idle. The word is committed with all decisions that follow.
// The one and the other take turns.
func wakes(ctx context.Context, shop *workshop) (outcome, error) {
	return withServer(func(server *pgtest.Server) (o outcome, err error) {
		queue, err := openRiver(ctx, shop, server)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, queue.close()) }()
		team, err := openTeam(ctx, shop, server)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, team.close()) }()
		var measured, base []time.Duration
		for n := range shop.times(200) {
			took, err := team.word(ctx)
			if err != nil {
				return o, err
			}
			pause := 20 + n%7 // milliseconds: no rhythm
			other, err := queue.job(pause)
			if err != nil {
				return o, err
			}
			measured, base = append(measured, took), append(base, other)
		}
		return compare(measured, base, short), nil
	})
}

// river is the program that has jobs wait in River's queue.
type river struct {
	cmd   *exec.Cmd
	asks  io.WriteCloser
	tells *bufio.Reader
}

func openRiver(ctx context.Context, shop *workshop, server *pgtest.Server) (*river, error) {
	program := filepath.Join(shop.dir, "river")
	build := exec.CommandContext(ctx, "go", "-C", "bench/river", "build", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build bench/river: %w\n%s", err, out)
	}
	address, err := server.Create(ctx, "river")
	if err != nil {
		return nil, err
	}
	r := &river{cmd: exec.CommandContext(ctx, program, address)}
	r.cmd.Stderr = shop.log
	tells, err := r.cmd.StdoutPipe()
	if err == nil {
		r.asks, err = r.cmd.StdinPipe()
	}
	if err == nil {
		err = r.cmd.Start()
	}
	r.tells = bufio.NewReader(tells)
	return r, err
}

// job is how long the next job waits, after a pause of so many milliseconds.
func (r *river) job(pause int) (time.Duration, error) {
	if _, err := fmt.Fprintln(r.asks, pause); err != nil {
		return 0, err
	}
	line, err := r.tells.ReadString('\n')
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return time.Duration(ns), err
}

func (r *river) close() error { return errors.Join(r.asks.Close(), r.cmd.Wait()) }

// team is a run, the engine that owns it, and another engine on the same database.
type team struct {
	owner, other *engine.Engine
	run          *core.Run
	told         *told
	closing      []func() error
}

// told is a dispatcher that notes how far the run was when its owner was told to act.
type told struct {
	nobody
	mu   sync.Mutex
	seq  int64
	news chan struct{}
}

func (d *told) Reconcile(run *core.Run, _ int64, _ []core.Action) {
	d.mu.Lock()
	d.seq = run.Stream.Seq
	d.mu.Unlock()
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// at waits until the owner acts upon an event, or a later one.
func (d *told) at(ctx context.Context, seq int64) error {
	for {
		d.mu.Lock()
		there := d.seq >= seq
		d.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.news:
		}
	}
}

// unread is a journal that nobody reads.
type unread struct{}

func (unread) Append(context.Context, *core.Run, []core.Event, core.Bodies) error { return nil }
func (unread) Seq(_ context.Context, r *core.Run) (int64, error)                  { return r.Stream.Seq, nil }

func openTeam(ctx context.Context, shop *workshop, server *pgtest.Server) (*team, error) {
	address, err := server.Create(ctx, "stellwerk")
	if err != nil {
		return nil, err
	}
	t := &team{told: &told{news: make(chan struct{}, 1)}}
	if t.owner, err = t.engine(ctx, shop, address, "owner", t.told); err != nil {
		return nil, errors.Join(err, t.close())
	}
	started, err := feature(0)
	if err == nil {
		t.run, err = t.owner.Submit(ctx, started.Run, person(), started)
	}
	if err == nil {
		err = t.told.at(ctx, t.run.Stream.Seq) // it owns the project now
	}
	if err == nil {
		t.other, err = t.engine(ctx, shop, address, "other", nobody{})
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (t *team) engine(ctx context.Context, shop *workshop, address, id string, who engine.Dispatcher) (*engine.Engine, error) {
	db, err := postgres.Open(ctx, address, postgres.Options{LazyLooks: true})
	if err != nil {
		return nil, err
	}
	t.closing = append(t.closing, db.Close)
	e := engine.New(engine.Options{
		Store: db, Journal: unread{}, Deciders: []core.Decider{phases.Decider{}, manager.Decider{}},
		Log: slog.New(slog.NewTextHandler(shop.log, nil)), ID: id, Host: id,
	})
	e.SetDispatcher(who)
	if err := e.Begin(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(running) }()
	t.closing = append(t.closing, func() error {
		stop()
		return errors.Join(<-ended, e.Leave(context.WithoutCancel(ctx)))
	})
	return e, nil
}

// word tells the other engine what happens next, and returns how long it took until the owner acted upon it.
func (t *team) word(ctx context.Context) (time.Duration, error) {
	actor, body := next(t.run)
	began := time.Now()
	run, err := t.other.Submit(ctx, t.run.ID, actor, body)
	if err != nil {
		return 0, err
	}
	err = t.told.at(ctx, run.Stream.Seq)
	t.run = run
	return time.Since(began), err
}

func (t *team) close() error {
	var errs []error
	for i := len(t.closing) - 1; i >= 0; i-- {
		errs = append(errs, t.closing[i]())
	}
	return errors.Join(errs...)
}

// teamSteps compares how many steps 1,000 runs take a second at one engine with how many bare commits one connection makes on the same
// server. See steps for what a step and a bare commit are.
func teamSteps(ctx context.Context, shop *workshop) (outcome, error) {
	return withYardstick(ctx, shop, "team-steps", 1000, func(l *line, runs []*core.Run, yardstick *bareServer) (o outcome, err error) {
		var measured, base []float64
		for range shop.times(40) {
			bare, err := rate(ctx, time.Second/2, yardstick.commit)
			if err != nil {
				return o, err
			}
			steps, err := together(ctx, l, runs, time.Second/2)
			if err != nil {
				return o, err
			}
			measured, base = append(measured, steps), append(base, bare)
		}
		return compare(measured, base, func(rate float64) string { return fmt.Sprintf("%.0f/s", rate) }), nil
	})
}
