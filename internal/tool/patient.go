package tool

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// pause is the time between two tries.
const pause = 100 * time.Millisecond

// Patient returns tools that wait for an engine that is being restarted: as long as the patience lasts, they repeat a call
// that finds no engine, or whose answer is lost with it. All tries carry the same name, so the call takes effect once.
func Patient(tools api.Tools, patience time.Duration) api.Tools {
	return api.NewProxy(func(ctx context.Context, r api.Route, in, out any) error {
		if api.CallFrom(ctx) == "" {
			ctx = api.WithCall(ctx, rand.Text())
		}
		for deadline := time.Now().Add(patience); ; {
			err := r.Call(ctx, tools, in, out)
			if core.CodeOf(err) != core.CodeUnavailable || ctx.Err() != nil {
				return err
			}
			if time.Now().After(deadline) {
				return core.Wrap(core.CodeUnavailable, err, "the engine does not answer", "end now, and say so: your next turn shows what was done")
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
		}
	})
}
