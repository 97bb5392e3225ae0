package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// remembered is how many moves are known one by one. Who was away for longer
// is told that anything may have moved.
const remembered = 4096

// Moved says which streams moved on since a watcher looked last.
type Moved struct {
	At      string   // pass as since
	Streams []string // each once
	All     bool     // too long ago to name them
}

// moves is the short memory of which streams moved. A position is the number of moves so far,
// and the engine that counted them: a successor counts anew, and a watcher with a position of
// another engine looks at everything.
type moves struct {
	engine string
	count  int
	recent []string // the newest of them, the last one last
}

func (m *moves) add(stream string) {
	m.count++
	m.recent = append(m.recent, stream)
	if len(m.recent) >= 2*remembered {
		m.recent = slices.Clone(m.recent[len(m.recent)-remembered:])
	}
}

func (m *moves) position() string { return m.engine + "." + strconv.Itoa(m.count) }

// since are the moves after a position, each as often as it happened; false where
// they are not known any more. The list is the caller's.
func (m *moves) since(position string) (at string, streams []string, known bool) {
	engine, text, _ := strings.Cut(position, ".")
	seen, err := strconv.Atoi(text)
	missed := m.count - seen
	if err != nil || engine != m.engine || missed < 0 || missed > len(m.recent) {
		return m.position(), nil, false
	}
	return m.position(), slices.Clone(m.recent[len(m.recent)-missed:]), true
}

// movedSince says what moved after a position. Nobody who moves waits for more than
// a copy: what takes longer is done without the lock.
func (l *live) movedSince(position string) Moved {
	l.mu.Lock()
	at, streams, known := l.moves.since(position)
	l.mu.Unlock()
	return Moved{At: at, Streams: once(streams), All: !known}
}

// once leaves of equal names the first, in the list's own place.
func once(names []string) []string {
	had := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		again := had[name]
		had[name] = true
		return again
	})
}

// Position is how far the engine has come. A caller that takes it, then looks, and then
// watches from it misses nothing.
func (e *Engine) Position() string {
	e.live.mu.Lock()
	defer e.live.mu.Unlock()
	return e.live.moves.position()
}

// Watch calls fn whenever streams have moved on since a position, until the
// context ends or fn fails. It carries no events, so a slow watcher holds
// nothing up, and hears at once of everything that moved meanwhile.
func (e *Engine) Watch(ctx context.Context, since string, fn func(Moved) error) error {
	sub, cancel := e.live.subscribe("")
	defer cancel()
	for {
		moved := e.live.movedSince(since)
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
