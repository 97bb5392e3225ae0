//go:build planted_effectfirst

package engine

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// commit is a planted bug: it hands the effects of a step out before the step
// is durable. The tests must fail under this build tag.
func (e *Engine) commit(ctx context.Context, b *batch) error {
	e.dispatcher.Reconcile(b.run.Clone(), core.Effects(b.run))
	return e.store.Commit(ctx, b.commit)
}
