package tool

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Patient are tools that outlast an engine: a call that finds none, or whose
// answer is lost with it, is made again by the same name for as long as the
// patience lasts. However often that is, it is carried out once.
func Patient(tools api.Tools, patience time.Duration) api.Tools {
	return patient{tools, patience}
}

type patient struct {
	tools    api.Tools
	patience time.Duration
}

// pause is the time between two tries.
const pause = 100 * time.Millisecond

func persist[I, O any](ctx context.Context, p patient, run string, in I, call func(context.Context, string, I) (O, error)) (O, error) {
	if api.CallFrom(ctx) == "" {
		ctx = api.WithCall(ctx, rand.Text())
	}
	for deadline := time.Now().Add(p.patience); ; {
		out, err := call(ctx, run, in)
		if core.CodeOf(err) != core.CodeUnavailable || ctx.Err() != nil {
			return out, err
		}
		if time.Now().After(deadline) {
			return out, core.Wrap(core.CodeUnavailable, err, "the engine does not answer", "end now, and say so: your next turn shows what was done")
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Delegate implements [api.Tools].
func (p patient) Delegate(ctx context.Context, run string, req core.Proposal) (api.Delegated, error) {
	return persist(ctx, p, run, req, p.tools.Delegate)
}

// Tell implements [api.Tools].
func (p patient) Tell(ctx context.Context, run string, req api.Tell) (api.Told, error) {
	return persist(ctx, p, run, req, p.tools.Tell)
}

// Ask implements [api.Tools].
func (p patient) Ask(ctx context.Context, run string, req api.Ask) (api.Asked, error) {
	return persist(ctx, p, run, req, p.tools.Ask)
}

// UpdatePlan implements [api.Tools].
func (p patient) UpdatePlan(ctx context.Context, run string, req api.UpdatePlan) (api.Plan, error) {
	return persist(ctx, p, run, req, p.tools.UpdatePlan)
}

// Detail implements [api.Tools].
func (p patient) Detail(ctx context.Context, run string, req api.FetchDetail) (api.FetchedDetail, error) {
	return persist(ctx, p, run, req, p.tools.Detail)
}

// Details implements [api.Tools].
func (p patient) Details(ctx context.Context, run string) (api.DetailIndex, error) {
	look := func(ctx context.Context, run string, _ struct{}) (api.DetailIndex, error) {
		return p.tools.Details(ctx, run)
	}
	return persist(ctx, p, run, struct{}{}, look)
}

// Plan implements [api.Tools].
func (p patient) Plan(ctx context.Context, run string) (api.Plan, error) {
	look := func(ctx context.Context, run string, _ struct{}) (api.Plan, error) { return p.tools.Plan(ctx, run) }
	return persist(ctx, p, run, struct{}{}, look)
}
