package engine

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// LookAt is one look, for a test that wants to know how it ended.
func (e *Engine) LookAt(ctx context.Context, w *store.Wake) (unfinished bool, err error) {
	return e.lookAt(ctx, w)
}
