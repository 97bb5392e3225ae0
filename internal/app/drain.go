package app

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/drain"
)

// drains gives this engine's projects to others, and ends it when the attempts on its machine have ended or within has passed.
func (a *App) drains(ctx context.Context, within time.Duration) (projects, attempts int, err error) {
	if projects, attempts, err = a.drain.Begin(ctx); err != nil {
		return projects, attempts, err
	}
	a.log.Info("the engine drains", "projects", projects, "attempts", attempts, "within", within)
	a.work.Go(func() { a.drain.Await(a.running, within) })
	return projects, attempts, nil
}

// drained is called when nobody is at work here any more.
func (a *App) drained() {
	a.log.Info("the engine has drained")
	if a.opts.Drained != nil {
		a.opts.Drained()
	}
}

// openDrain prepares the engine for giving its work away.
func (a *App) openDrain(parts Parts) *drain.Drain {
	opts := drain.Options{
		Engine: a.engine, Store: a.store, Spawner: parts.Spawner, Announce: a.roster.Draining, Children: a.children, Over: a.drained, Log: a.log,
	}
	if a.place.Shared() {
		opts.Workers = a.state.Workers()
	}
	return drain.New(opts)
}
