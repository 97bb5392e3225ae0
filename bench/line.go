package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// line is an engine on a state folder that commits, journals and looks at
// hints as the program's does: store and journal are those that the program
// makes for itself. Only nobody executes effects: the figure says what they
// led to.
type line struct {
	app    *app.App
	parts  app.Parts
	engine *engine.Engine
	stop   context.CancelFunc
	ended  chan error
	log    io.Writer
	who    engine.Dispatcher // that executes effects
}

func openLine(ctx context.Context, shop *workshop, dir string) (*line, error) {
	return openLineWith(ctx, shop, dir, nobody{})
}

// openLineWith has somebody execute effects.
func openLineWith(ctx context.Context, shop *workshop, dir string, who engine.Dispatcher) (*line, error) {
	return started(ctx)(layLine(ctx, shop, dir, "", who))
}

// openLineOn has a database that engines can share, or without one the state folder's own.
func openLineOn(ctx context.Context, shop *workshop, dir, database string) (*line, error) {
	return started(ctx)(layLine(ctx, shop, dir, database, nobody{}))
}

func started(ctx context.Context) func(*line, error) (*line, error) {
	return func(l *line, err error) (*line, error) {
		if err == nil {
			l.start(ctx)
		}
		return l, err
	}
}

// layLine has everything but a running engine. Without a database, it is the state folder's own.
func layLine(ctx context.Context, shop *workshop, dir, database string, who engine.Dispatcher) (*line, error) {
	l := &line{log: shop.log, who: who}
	var err error
	l.app, err = app.Open(ctx, app.Options{State: dir, Database: database, Version: "bench", Log: shop.log, Wrap: func(p *app.Parts) {
		l.parts = *p
		p.Store = asleep{p.Store}
	}})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// asleep lets the program's own engine see no project without an owner: the one that is
// measured owns them all.
type asleep struct{ store.Store }

func (asleep) Adrift(context.Context, string, int) ([]store.Owner, error) { return nil, nil }
func (asleep) Signals() <-chan struct{}                                   { return nil }

// nobody executes no effect.
type nobody struct{}

func (nobody) Prepare(*core.Run, int64, []core.Action)   {}
func (nobody) Reconcile(*core.Run, int64, []core.Action) {}
func (nobody) Release(string)                            {}

func (nobody) StartEpic(*core.Project, int64, *core.QueuedEpic) {}

// start sets an engine going that has seen no run yet.
func (l *line) start(ctx context.Context) {
	l.renew()
	ctx, l.stop = context.WithCancel(ctx)
	l.ended = make(chan error, 1)
	go func() { l.ended <- l.engine.Run(ctx) }()
}

// renew makes an engine that has seen no run yet. Until it runs, it commits and owns nothing.
func (l *line) renew() {
	l.engine = engine.New(engine.Options{
		Store: l.parts.Store, Journal: l.parts.Journal, Deciders: []core.Decider{phases.Decider{}, manager.Decider{}},
		Log: slog.New(slog.NewTextHandler(l.log, nil)), ID: "bench",
	})
	l.engine.SetDispatcher(l.who)
}

// halt ends the engine and leaves the store open.
func (l *line) halt() error {
	l.stop()
	return <-l.ended
}

// close gives back what the engine owns, so that another need not wait for the end of its lease.
func (l *line) close() error {
	return errors.Join(l.halt(), l.engine.Leave(context.Background()), l.app.Close())
}

// take brings a history in as if it had happened here.
func (l *line) take(ctx context.Context, started core.RunStarted, events int) (*core.Run, error) {
	now, err := l.parts.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	past, err := history(started, events, now)
	if err != nil {
		return nil, err
	}
	if _, err := l.engine.Import(ctx, started.Run, past); err != nil {
		return nil, err
	}
	return l.engine.Load(ctx, started.Run)
}

// step submits what happens next.
func (l *line) step(ctx context.Context, r *core.Run) (*core.Run, error) {
	actor, body := next(r)
	return l.engine.Submit(ctx, r.ID, actor, body)
}
