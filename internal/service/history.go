package service

import (
	"context"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxHistories bounds of how many runs a histories remembers what it read;
// forgetting costs only time.
const maxHistories = 16

// histories remembers what it made of the histories of runs, so that who asks
// again and again has each event read once. T takes the events in.
type histories[T interface{ take(core.Event) error }] struct {
	begin func() T

	mu   sync.Mutex
	runs map[string]*history[T]
}

// history is what was made of a run's history up to an event.
type history[T any] struct {
	busy chan struct{} // holds one token, of who reads or looks
	upto int64
	made T
}

// readEvents reads a run's next events; none if there are no more.
type readEvents func(ctx context.Context, after int64) ([]core.Event, error)

// eventsOf reads a run's events, oldest first.
func (a *Service) eventsOf(run string) readEvents {
	return func(ctx context.Context, after int64) ([]core.Event, error) {
		return a.store.Events(ctx, core.RunStream(run), after, 1000)
	}
}

// look reads on in a run's history, and then lets fn look at what was made of all
// of it. Who gives up does not wait for others that read.
func (h *histories[T]) look(ctx context.Context, run string, read readEvents, fn func(T)) error {
	of := h.of(run)
	select {
	case of.busy <- struct{}{}:
		defer func() { <-of.busy }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		events, err := read(ctx, of.upto)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			fn(of.made)
			return nil
		}
		for _, ev := range events {
			if err := of.made.take(ev); err != nil {
				return err
			}
			of.upto = ev.Seq
		}
	}
}

// of is what is known of a run; if there are too many, others are forgotten.
func (h *histories[T]) of(run string) *history[T] {
	h.mu.Lock()
	defer h.mu.Unlock()
	if of := h.runs[run]; of != nil {
		return of
	}
	if h.runs == nil || len(h.runs) >= maxHistories {
		h.runs = map[string]*history[T]{}
	}
	of := &history[T]{busy: make(chan struct{}, 1), made: h.begin()}
	h.runs[run] = of
	return of
}
