package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

const (
	inherited        = 100 // projects with an open run each
	successionLease  = 3 * time.Second
	successionWithin = 2 * time.Second
)

// succession measures how long 100 projects with an open run each are without an engine
// that works on them, while two engines share a store: from the first engine's end
// until the other has taken up the last run's effects. An engine that ends cleanly
// gives its projects back. One that is killed does not: it is silent, as a killed
// process is to the store, and the other waits for the end of its lease.
func succession(killed bool) func(context.Context, *workshop) (outcome, error) {
	return func(ctx context.Context, shop *workshop) (outcome, error) {
		within := successionWithin
		if killed {
			within += successionLease
		}
		var worst time.Duration
		for range 3 {
			took, err := succeed(ctx, shop, killed)
			if err != nil {
				return outcome{}, err
			}
			worst = max(worst, took)
		}
		return outcome{ratio: float64(worst) / float64(within), measured: short(worst) + " at worst"}, nil
	}
}

func succeed(ctx context.Context, shop *workshop, killed bool) (took time.Duration, err error) {
	dir, err := shop.folder("succession")
	if err != nil {
		return 0, err
	}
	before, after := newHeirs(inherited), newHeirs(inherited)
	l, err := layLine(ctx, shop, dir, "", nobody{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.app.Close()) }()
	first, second := l.member(shop, "first", before), l.member(shop, "second", after)
	first.run(ctx)
	defer first.end()
	for i := range inherited {
		started := someWork(i)
		started.Project, started.Limits.Parallel = fmt.Sprint("inherited-", i), inherited
		if _, err := first.engine.Submit(ctx, started.Run, person(), started); err != nil {
			return 0, err
		}
	}
	if err := before.await(ctx); err != nil {
		return 0, fmt.Errorf("the first engine: %w", err)
	}
	second.run(ctx)
	defer second.end()
	began := time.Now()
	if first.end(); !killed {
		if err := first.engine.Leave(ctx); err != nil {
			return 0, err
		}
	}
	if err := after.await(ctx); err != nil {
		return 0, fmt.Errorf("the second engine: %w", err)
	}
	return time.Since(began), nil
}

// member is one of several engines on a store.
type member struct {
	engine *engine.Engine
	stop   context.CancelFunc
	work   sync.WaitGroup
}

func (l *line) member(shop *workshop, id string, who engine.Dispatcher) *member {
	m := &member{engine: engine.New(engine.Options{
		Store: l.parts.Store, Journal: l.parts.Journal, Deciders: []core.Decider{phases.Decider{}},
		Log: slog.New(slog.NewTextHandler(shop.log, nil)), ID: id, Host: id, Lease: successionLease,
	})}
	m.engine.SetDispatcher(who)
	return m
}

func (m *member) run(ctx context.Context) {
	ctx, m.stop = context.WithCancel(ctx)
	m.work.Go(func() { _ = m.engine.Run(ctx) }) // what it fails at is missed at the other end
}

func (m *member) end() {
	m.stop()
	m.work.Wait()
}

// heirs notes whose effects an engine was handed.
type heirs struct {
	nobody
	mu   sync.Mutex
	left int
	seen map[string]bool
	all  chan struct{}
}

func newHeirs(n int) *heirs {
	return &heirs{left: n, seen: map[string]bool{}, all: make(chan struct{})}
}

func (h *heirs) Reconcile(r *core.Run, _ int64, actions []core.Action) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(actions) == 0 || h.seen[r.ID] {
		return
	}
	h.seen[r.ID] = true
	if h.left--; h.left == 0 {
		close(h.all)
	}
}

// await returns when the effects of every run were handed out.
func (h *heirs) await(ctx context.Context) error {
	const patience = time.Minute
	select {
	case <-h.all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		h.mu.Lock()
		defer h.mu.Unlock()
		return fmt.Errorf("it did not take up %d of %d runs in %s", h.left, h.left+len(h.seen), patience)
	}
}
