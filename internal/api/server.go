package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/peer"
)

const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeader      = 64 << 10
	shutdownPeriod = 5 * time.Second
)

type drainKey struct{}

// Serve answers requests on l until ctx ends, then lets requests that are
// under way finish for a few seconds; streams break off at once and are
// resumed by their clients. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	drain, drained := context.WithCancel(context.Background())
	defer drained()
	base := context.WithValue(context.WithoutCancel(ctx), drainKey{}, drain)
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base },
		ConnContext: peer.WithConn,
	}
	srv.RegisterOnShutdown(drained)
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPeriod)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-failed
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("stop serving %s: %w", l.Addr(), err)
	}
	return nil
}

// UntilDrained ends with the request, and when the server begins to shut down.
func UntilDrained(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	drain, ok := ctx.Value(drainKey{}).(context.Context)
	if !ok {
		return ctx, cancel
	}
	undo := context.AfterFunc(drain, cancel)
	return ctx, func() { undo(); cancel() }
}
