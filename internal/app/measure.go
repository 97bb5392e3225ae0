package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forges"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/telemetry"
)

// measure starts telemetry if somebody wants to be told, and has it see what
// passes between the parts. If nobody does, nothing of it exists.
func (a *App) measure(ctx context.Context, parts *Parts, f *forges.Forges, place string) error {
	export, err := telemetry.FromEnvironment(os.LookupEnv)
	if err != nil { // work goes on without
		a.log.Warn("traces are not sent", "error", err)
	}
	counted := a.opts.Metrics != "" || a.opts.Network != nil
	if export == nil && !counted {
		return nil
	}
	t, err := telemetry.Open(ctx, telemetry.Options{
		Source: parts.Store, Place: place, Version: a.opts.Version, Log: a.log, Metrics: counted, Export: export,
		Cursor: a.store, Redact: a.redactor.String, Calls: a.calls, Owned: func() (int, time.Duration) { return a.engine.Owned() },
	})
	if err != nil {
		return fmt.Errorf("begin to measure: %w", err)
	}
	a.telemetry = t
	parts.Journal = &watchedJournal{parts.Journal, t.Saw}
	if counted {
		parts.Store, f.Called = t.Store(a.calls.Store(parts.Store)), t.Called
	}
	return nil
}

// showMetrics serves the figures at an address until ctx ends.
func (a *App) showMetrics(ctx context.Context) (wait func() error, err error) {
	address, err := network.MetricsAddress(a.opts.Metrics, a.opts.MetricsPublic)
	if err != nil {
		return nil, err
	}
	if address == "" {
		return nothing, nil
	}
	listener, err := net.Listen("tcp", address) //nolint:noctx // a socket is opened at once or not at all
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "metrics cannot be shown at "+a.opts.Metrics, "choose another address")
	}
	// Whoever let the system choose the port has to find it.
	if err := renameio.WriteFile(a.state.MetricsAddress(), []byte(listener.Addr().String()+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("say where the metrics are: %w", err), listener.Close())
	}
	a.log.Info("metrics are shown", "address", listener.Addr())
	served := serveHTTP(ctx, network.MetricsServer(a.telemetry.Handler(), a.opts.MetricsPublic), network.BoundMetrics(listener))
	return func() error { return errors.Join(served(), a.withdraw(a.state.MetricsAddress())) }, nil
}

// serveHTTP answers on a listener until ctx ends, and breaks off whatever is under
// way then.
func serveHTTP(ctx context.Context, server *http.Server, l net.Listener) (wait func() error) {
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return background(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
		return nil
	})
}
