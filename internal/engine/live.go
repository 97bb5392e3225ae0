package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// live tells followers that a stream moved on: at once if this engine moved it, and
// otherwise when the engine hears of it. It carries no events: a
// follower reads those from the store, so a slow one misses nothing and holds
// nothing up.
type live struct {
	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
}

type subscriber struct {
	stream string // "" for all
	moved  chan struct{}
}

// publish tells who follows a stream, or everybody if it is "".
func (l *live) publish(stream string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.subscribers {
		if s.stream != "" && stream != "" && s.stream != stream {
			continue
		}
		select {
		case s.moved <- struct{}{}:
		default:
		}
	}
}

func (l *live) subscribe(stream string) (*subscriber, func()) {
	s := &subscriber{stream: stream, moved: make(chan struct{}, 1)}
	l.mu.Lock()
	l.subscribers[s] = struct{}{}
	l.mu.Unlock()
	return s, func() {
		l.mu.Lock()
		delete(l.subscribers, s)
		l.mu.Unlock()
	}
}

// Follow calls fn with each event of a run after a sequence number, as it
// happens, until the context ends, fn fails, or the run is over. Once it has read
// something, it waits for a store that is away.
func (e *Engine) Follow(ctx context.Context, run string, after int64, fn func(core.Event) error) error {
	sub, cancel := e.live.subscribe(core.RunStream(run))
	defer cancel()
	for begun := false; ; begun = true {
		events, over, err := e.since(ctx, run, after)
		if begun && core.CodeOf(err) == core.CodeUnavailable {
			if err := e.rest(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil || over {
			return err
		}
		for _, ev := range events {
			if err := fn(ev); err != nil {
				return err
			}
			after = ev.Seq
			if ends(ev.Type) {
				return nil
			}
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sub.moved:
		}
	}
}

// since reads what a follower has not seen of a run, and reports that nothing more
// will come.
func (e *Engine) since(ctx context.Context, run string, after int64) (events []core.Event, over bool, err error) {
	events, err = e.store.Events(ctx, core.RunStream(run), after, readBatch)
	if err == nil && len(events) == 0 {
		over, err = e.over(ctx, run, after)
	}
	return events, over, err
}

// rest waits until the store is worth another look.
func (e *Engine) rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(e.opts.Look):
		return nil
	}
}

// Until waits for a state of the run that is wanted, and returns it.
func (e *Engine) Until(ctx context.Context, run string, wanted func(*core.Run) bool) (*core.Run, error) {
	sub, cancel := e.live.subscribe(core.RunStream(run))
	defer cancel()
	for {
		state, err := e.Load(ctx, run)
		if err != nil || wanted(state) {
			return state, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-sub.moved:
		}
	}
}

// over reports that a run has ended at or before an event, for a follower that
// begins after its end.
func (e *Engine) over(ctx context.Context, run string, after int64) (bool, error) {
	state, err := e.Load(ctx, run)
	if errors.Is(err, core.ErrUnreadable) {
		row, err := e.store.Run(ctx, run)
		return row.EndedAt != nil, err
	}
	if errors.Is(err, core.ErrErased) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return state.Status.Terminal() && state.Stream.Seq <= after, nil
}

func ends(t core.Type) bool {
	return t == core.TypeRunCompleted || t == core.TypeRunFailed || t == core.TypeRunCancelled
}
