package engine

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// LookAt is one look, for a test that wants to know how it ended.
func (e *Engine) LookAt(ctx context.Context, w *store.Hint) (unfinished bool, err error) {
	return e.lookAt(ctx, w)
}

// Look is one look as Run makes it.
func (e *Engine) Look(ctx context.Context, w store.Hint) { e.look(ctx, w) }

// NextLook is how long Run waits without a signal.
func (e *Engine) NextLook(ctx context.Context) time.Duration { return e.nextLook(ctx) }

// Nudged reports, once, that a look is wanted that the store does not signal.
func (e *Engine) Nudged() bool {
	select {
	case <-e.nudged:
		return true
	default:
		return false
	}
}
