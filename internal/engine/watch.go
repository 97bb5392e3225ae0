package engine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
)

// remembered is how many moves are named one by one. Who was away for longer
// is told that anything may have moved.
const remembered = 4096

// Moved says which streams moved on since a watcher looked last.
type Moved struct {
	At      string   // pass as since
	Streams []string // each once
	All     bool     // too long ago to name them
}

// Position is how far the store has come, whichever engine is asked. A caller that takes it,
// then looks, and then watches from it misses nothing.
func (e *Engine) Position(ctx context.Context) (string, error) {
	at, err := e.store.Position(ctx)
	return strconv.FormatInt(at, 10), err
}

// parsePosition reads what Position said.
func parsePosition(text string) (at int64, known bool) {
	at, err := strconv.ParseInt(text, 10, 64)
	return at, err == nil && at >= 0
}

// movedSince says what moved after a position. Of one that is none of this store's, or not
// any more, anything may have moved since.
func (e *Engine) movedSince(ctx context.Context, since string) (Moved, error) {
	at, err := e.store.Position(ctx)
	if err != nil {
		return Moved{}, err
	}
	after, known := parsePosition(since)
	if !known || after > at || at-after > remembered {
		return Moved{At: strconv.FormatInt(at, 10), All: true}, nil
	}
	if after == at {
		return Moved{At: since}, nil
	}
	streams, at, err := e.store.Moved(ctx, after, remembered)
	return Moved{At: strconv.FormatInt(at, 10), Streams: streams}, err
}

// Watch calls fn whenever streams have moved on since a position, until the
// context ends or fn fails. It carries no events, so a slow watcher holds
// nothing up, and hears at once of everything that moved meanwhile.
func (e *Engine) Watch(ctx context.Context, since string, fn func(Moved) error) error {
	sub, cancel := e.live.subscribe("")
	defer cancel()
	for {
		moved, err := e.movedSince(ctx, since)
		if err != nil {
			return err
		}
		if moved.All || len(moved.Streams) > 0 {
			if err := fn(moved); err != nil {
				return err
			}
			since = moved.At
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-sub.moved:
		}
	}
}

// hear tells followers of what any engine has committed since a position, and returns how far
// that goes. A state in memory that another engine has left behind is dropped.
func (e *Engine) hear(ctx context.Context, after int64) int64 {
	if after < 0 { // what was committed before this engine looked is not known
		at, err := e.store.Position(ctx)
		if err != nil {
			e.fault(ctx, "look how far the store has come", err)
			return after
		}
		e.live.publish("")
		return at
	}
	for {
		streams, at, err := e.store.Moved(ctx, after, remembered)
		if err != nil {
			e.fault(ctx, "look what has moved", err)
			return after
		}
		for _, stream := range streams {
			e.live.publish(stream)
			e.streams.leave(stream, func(project string) bool { _, mine := e.owned.fence(project); return mine })
		}
		whole := at-after < remembered // positions have no gaps
		if after = at; planted.Is("cursor") {
			if after, err = e.store.Position(ctx); err != nil {
				return at
			}
		}
		if whole {
			return after
		}
	}
}

// At is the state that a run had after one of its events, derived from its
// beginning.
func (e *Engine) At(ctx context.Context, run string, seq int64) (*core.Run, error) {
	var state *core.Run
	for after := int64(0); after < seq; {
		events, err := e.store.Events(ctx, core.RunStream(run), after, int(min(readBatch, seq-after)))
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		for _, ev := range events {
			if state, err = core.Fold(state, ev); err != nil {
				return nil, fmt.Errorf("event %d of %s: %w", ev.Seq, run, err)
			}
		}
		after = events[len(events)-1].Seq
	}
	if state == nil || state.Stream.Seq != seq {
		return nil, core.Errorf(core.CodeNotFound, "the run has no event %d", seq)
	}
	return state, nil
}
