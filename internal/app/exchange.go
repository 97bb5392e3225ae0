package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/net/netutil"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/beside"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// Workers is how the workers of attempts reach engines that share a store.
type Workers struct {
	// Listen is where this engine hears them: HOST:PORT, or "" for a socket in the state folder, where nobody else can answer
	// while the engine is away.
	Listen string
	// URL is what workers are told, such as that of a balancer in front of all engines; "" for this engine's own listener.
	// A worker that finds no engine there keeps what it has to say, and goes on with whichever answers next.
	URL string
}

// workerConnections is how many connections of workers are served at once; each attempt has a few.
const workerConnections = 4096

// hearWorkers opens the listener for workers.
func (a *App) hearWorkers(ctx context.Context) error {
	listener, url, err := a.listenForWorkers(ctx)
	if err != nil {
		return fmt.Errorf("listen for the workers of attempts: %w", err)
	}
	a.workers, a.workersURL = netutil.LimitListener(listener, workerConnections), cmp.Or(a.opts.Workers.URL, url)
	return nil
}

func (a *App) listenForWorkers(ctx context.Context) (listener net.Listener, url string, err error) {
	if address := a.opts.Workers.Listen; address != "" {
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address); err != nil {
			return nil, "", err
		}
		return listener, "http://" + listener.Addr().String(), nil
	}
	socket, err := a.state.WorkersSocket()
	if err != nil {
		return nil, "", err
	}
	listener, err = a.listenAt(socket)
	return listener, wire.SocketScheme + socket, err
}

// speakHTTP has attempts on this machine exchange everything over HTTP with whichever engine of the store answers: each can own any
// project. They see nothing of the state folder, nor of a folder of objects.
func (a *App) speakHTTP(ctx context.Context, parts *Parts, program string, layout dispatch.Layout) error {
	if err := os.MkdirAll(a.state.Workers(), 0o700); err != nil {
		return fmt.Errorf("make the folder of workers: %w", err)
	}
	if err := a.hearWorkers(ctx); err != nil {
		return err
	}
	masked := []string{a.state.Dir}
	if a.backed.Folder != "" {
		masked = append(masked, a.backed.Folder)
	}
	workers := apart.New(apart.Options{
		Exchange: a.remote, URL: func() string { return a.workersURL }, Token: a.workerToken, Worker: worker.Ahead(program, layout.ResourceOwner()), Spares: a.spares,
		Masked: masked, Resources: layout.Resources(), Dir: a.state.Workers(), Checkpoint: a.opts.Checkpoint,
	})
	a.children = workers.Living
	parts.Spawner = beside.Spawner{Folder: layout.Folder, Sessions: parts.Spawner, Elsewhere: workers}
	parts.Exchange = beside.Exchange{Folder: layout.Folder, Sessions: parts.Exchange, Elsewhere: a.remote}
	return nil
}

// sweepEvery is how often folders of workers that were killed are looked for.
const sweepEvery = 10 * time.Minute

// sweepWorkers removes what killed workers left on this machine, until ctx ends.
func (a *App) sweepWorkers(ctx context.Context) {
	if !a.place.Shared() {
		return
	}
	a.work.Go(func() {
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			err := courier.Sweep(a.state.Workers(), func(id wire.Attempt) (bool, error) { return a.remote.Forgotten(ctx, spawn.ID(id)) })
			if err != nil && ctx.Err() == nil {
				a.log.Warn("something is left of workers that were killed", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
}

// serveWorkers answers workers until ctx ends.
func (a *App) serveWorkers(ctx context.Context) {
	if a.workers == nil {
		return
	}
	listener := a.workers
	a.workers = nil // its server closes it
	a.work.Go(func() {
		if err := api.Serve(ctx, listener, a.exchangeHandler()); err != nil {
			a.log.Error("workers of attempts are not served any more", "error", err)
		}
	})
}

// exchangeHandler serves the workers of attempts, and leads the attempts' tools to the engine. A worker that waits for a word
// is sent away when the server begins to end, to ask another engine.
func (a *App) exchangeHandler() http.Handler {
	handler := a.remote.Handler(func(token string) (spawn.ID, bool) {
		run, attempt, ok := a.tokens.Worker(token)
		return spawn.ID{Run: run, Attempt: attempt}, ok
	}, api.ToolHandler(a.Service, a.tokens, a.opts.Version))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == wire.PathWord {
			ctx, stop := api.UntilDrained(r.Context())
			defer stop()
			r = r.WithContext(ctx)
		}
		handler.ServeHTTP(w, r)
	})
}

// workerToken is the token of an attempt's worker.
func (a *App) workerToken(id spawn.ID) string { return a.tokens.IssueWorker(id.Run, id.Attempt) }
