package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// line is an engine at work on a state folder: the store, the journal and the
// look-out for wakes are the real ones. Who executes effects is the figure's.
type line struct {
	dir    string
	store  *sqlite.Store
	engine *engine.Engine
	stop   context.CancelFunc
	ended  chan error
}

// nobody executes no effect: the figure itself says what they led to.
type nobody struct{}

func (nobody) Reconcile(*core.Run, []core.Action) {}

func openLine(ctx context.Context, dir string) (*line, error) {
	store, err := sqlite.Open(ctx, filepath.Join(dir, "stellwerk.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return &line{dir: dir, store: store, engine: newEngine(store, dir)}, nil
}

func newEngine(store *sqlite.Store, dir string) *engine.Engine {
	return engine.New(engine.Options{
		Store: store, Journal: newJournal(filepath.Join(dir, "runs")), Deciders: []core.Decider{phases.Decider{}},
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Name: "bench",
	})
}

// start sets the engine going.
func (l *line) start(ctx context.Context, dispatcher engine.Dispatcher) {
	l.engine.SetDispatcher(dispatcher)
	ctx, l.stop = context.WithCancel(ctx)
	l.ended = make(chan error, 1)
	go func() { l.ended <- l.engine.Run(ctx) }()
}

func (l *line) close() error {
	var err error
	if l.stop != nil {
		l.stop()
		err = <-l.ended
	}
	return errors.Join(err, l.store.Close())
}

// take brings a history in as if it had happened here.
func (l *line) take(ctx context.Context, started core.RunStarted, events int) (*core.Run, error) {
	now, err := l.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	past, _, err := history(started, events, core.Head{At: now})
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
