package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/apart"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
)

// overHTTP compares an attempt whose worker shares nothing with the engine with one that works in the engine's folders, both
// on this machine, started as the program starts them and with nothing else to do: from the attempt's request to its end on
// record. The agent does nothing.
func overHTTP(ctx context.Context, shop *workshop) (o outcome, err error) {
	here, err := openStation(ctx, shop, "exchange-folder", idlePlaybook, nil)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, here.close()) }()
	far, stop, err := openFarStation(ctx, shop)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, far.close(), stop()) }()
	var measured, base []time.Duration
	for len(measured) < shop.times(40) {
		b, err := here.attemptTime(ctx, len(measured))
		if err != nil {
			return o, err
		}
		m, err := far.attemptTime(ctx, len(measured))
		if err != nil {
			return o, err
		}
		measured, base = append(measured, m), append(base, b)
	}
	return compare(measured, base, short), nil
}

// attemptTime runs one attempt, and returns how long it took by the events.
func (s *station) attemptTime(ctx context.Context, n int) (time.Duration, error) {
	run, err := s.run(ctx, fmt.Sprintf("be timed %d", n))
	if err != nil {
		return 0, err
	}
	asked, err := s.await(ctx, run.ID, 0, core.TypeAttemptRequested)
	if err != nil {
		return 0, err
	}
	ended, err := s.await(ctx, run.ID, asked.Seq, core.TypeAttemptExited)
	return ended.At.Sub(asked.At), err
}

// openFarStation is a station whose workers are apart.
func openFarStation(ctx context.Context, shop *workshop) (*station, func() error, error) {
	program, err := shop.worker(ctx)
	if err != nil {
		return nil, nil, err
	}
	if _, err := shop.stellwerk(ctx); err != nil { // beside it, for the attempt's tools
		return nil, nil, err
	}
	workers, err := shop.folder("exchange-workers")
	if err != nil {
		return nil, nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}

	var known sync.Map // attempts by token
	var server *http.Server
	s, err := openStationWith(ctx, shop, "exchange-http", idlePlaybook, nil, func(s *station, p *app.Parts) {
		ahead := aheadOf(s, program)
		p.Exchange, p.Spawner = p.Remote, apart.New(apart.Options{
			Exchange: p.Remote, URL: func() string { return "http://" + listener.Addr().String() }, Worker: ahead, Spares: spare.New(ahead),
			Dir: workers, Token: func(id spawn.ID) string {
				token := p.WorkerToken(id)
				known.Store(token, id)
				return token
			},
		})
		server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: p.Remote.Handler(func(token string) (spawn.ID, bool) {
			id, ok := known.Load(token)
			if !ok {
				return spawn.ID{}, false
			}
			return id.(spawn.ID), true
		}, nil)}
	})
	if err != nil {
		return nil, nil, errors.Join(err, listener.Close())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return s, func() error {
		err := server.Close()
		if ended := <-served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
		return err
	}, nil
}
