//go:build !planted_effectfirst

package engine

import "context"

// commit makes a step durable. Its effects are handed out afterwards.
func (e *Engine) commit(ctx context.Context, b *batch) error { return e.store.Commit(ctx, b.commit) }
