package dispatch

import (
	"context"
	"errors"
	"maps"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// fenceKey is where an action's context has the fence that it was asked for with.
type fenceKey struct{}

// owning is a context for what is done for a project's owner.
func owning(ctx context.Context, fence int64) context.Context {
	return context.WithValue(ctx, fenceKey{}, fence)
}

func fenceOf(ctx context.Context) int64 {
	fence, _ := ctx.Value(fenceKey{}).(int64)
	return fence
}

// mine refuses to begin what others can see, unless this engine is certain to own the
// project still. A process may be stopped between this and what follows, so all of
// that looks at what it touches: a push names the tip that it expects, a forge finds a
// run's pull request, and an attempt is marked by whoever starts it.
func (d *Dispatcher) mine(ctx context.Context, project string) error {
	if d.engine.Owns(project, fenceOf(ctx)) {
		return nil
	}
	return errReleased
}

// over reports that an action has ended without a conclusion that is still to come from
// here.
func over(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, errUnwanted) || errors.Is(cause, errReleased) || errors.Is(err, errReleased) || errors.Is(err, store.ErrFenced)
}

// Release implements engine.Dispatcher. What was seen of the project's runs, and how often
// something failed, is forgotten: another engine has gone on from there.
func (d *Dispatcher) Release(project string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, job := range d.flight {
		if job.project == project {
			job.end(errReleased)
			delete(d.failed, key)
		}
	}
	maps.DeleteFunc(d.seen, func(_ string, s sight) bool { return s.project == project })
	if start := d.starts[project]; start != nil {
		start.cancel()
	}
}
