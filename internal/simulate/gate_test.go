package simulate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// gate is where everything that engines do to the world waits for its turn. One goes at a time, chosen by the scheduler
// when everybody waits, so what happens next depends on the seed alone.
type gate struct {
	mu      sync.Mutex
	waiting []*call
	arrived chan struct{}
}

// call waits at the gate. Its key tells it apart from others of its engine that wait at the same time.
type call struct {
	by    *member
	key   string
	store bool      // it needs the store
	ready time.Time // zero until the scheduler has seen it
	turn  chan error
}

// who is the key of a context under which calls are told apart that ask for the same.
type who struct{}

var errDead = errors.New("the engine is dead")

// pass waits for a turn. An error says why the call does not take place.
func (g *gate) pass(ctx context.Context, by *member, store bool, key string) error {
	if who, ok := ctx.Value(who{}).(string); ok {
		key += " for " + who
	}
	c := &call{by: by, key: key, store: store, turn: make(chan error, 1)}
	g.mu.Lock()
	if by.dead.Load() {
		g.mu.Unlock()
		return errDead
	}
	g.waiting = append(g.waiting, c)
	g.mu.Unlock()
	select {
	case g.arrived <- struct{}{}:
	default:
	}
	select {
	case err := <-c.turn:
		return err
	case <-ctx.Done():
		g.leave(c)
		if by.dead.Load() {
			return errDead
		}
		return ctx.Err()
	}
}

func (g *gate) leave(c *call) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(w *call) bool { return w == c })
}

// kill has an engine do nothing any more: what waits is refused, and so is what follows.
func (g *gate) kill(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.dead.Store(true)
	g.waiting = slices.DeleteFunc(g.waiting, func(c *call) bool {
		if c.by == m {
			c.turn <- errDead
		}
		return c.by == m
	})
}

// next is the call whose turn comes first, and those that arrived since it was asked last, in an order that does not
// depend on who ran first. Calls of engines that stand still wait.
func (g *gate) next(take func(*call)) *call {
	g.mu.Lock()
	defer g.mu.Unlock()
	slices.SortStableFunc(g.waiting, func(a, b *call) int {
		return cmp.Or(cmp.Compare(a.by.id, b.by.id), cmp.Compare(a.key, b.key))
	})
	var first *call
	for _, c := range g.waiting {
		if c.ready.IsZero() {
			take(c)
		}
		if !c.by.frozen && (first == nil || c.ready.Before(first.ready)) {
			first = c
		}
	}
	return first
}
