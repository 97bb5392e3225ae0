package dispatch

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// evaluateCondition evaluates a phase's `when:` on the run's context.
func (d *Dispatcher) evaluateCondition(ctx context.Context, run *core.Run, a core.EvaluateCondition) error {
	body := core.ConditionEvaluated{Stage: a.Stage}
	values, err := check.Query(ctx, a.Expr, run.Context())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		body.Error = err.Error()
	default:
		body.Holds = check.Truthy(values)
	}
	return d.report(ctx, run, body)
}
