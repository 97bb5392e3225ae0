package api

import "context"

// The requests that several routes share. Embedded types are exported, because
// the framework passes over embedded fields that are not.
type (
	// nothing is the request of a route without parameters.
	nothing struct{}
	// sent is a request that is its body.
	sent[T any] struct{ Body T }

	// RunPath names a run in an endpoint's path.
	RunPath struct {
		Run string `path:"run" doc:"Id, alias, or a unique prefix of either"`
	}
	// AttemptPath names an attempt of a run.
	AttemptPath struct {
		RunPath
		Attempt string `path:"attempt"`
	}
	// ProjectPath names a project.
	ProjectPath struct {
		Project string `path:"project" doc:"Name or key"`
	}
	// SessionPath names an interactive session.
	SessionPath struct {
		Session string `path:"session" doc:"The name that the session's program gave it"`
	}

	// toRun is a person's word about a run.
	toRun[T any] struct {
		RunPath
		Body T
	}
	// toProject is a person's word about a project.
	toProject[T any] struct {
		ProjectPath
		Body T
	}
	// fromSession is what a hook of a session tells or asks.
	fromSession[T any] struct {
		SessionPath
		Body T
	}
	// fromTool is a call of a tool.
	fromTool[T any] struct {
		RunPath
		Call string `header:"Idempotency-Key" maxLength:"64" doc:"Names the call; one that is repeated by its name is carried out once"`
		Body T
	}
)

// The functions below make endpoints of methods by what they take.

func plain[S, O any](method func(S, context.Context) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc S, _ *nothing) (O, error) { return method(svc, ctx) })
}

func query[Q, O any](method func(Service, context.Context, Q) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, q *Q) (O, error) { return method(svc, ctx, *q) })
}

func post[T, O any](method func(Service, context.Context, T) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, in *sent[T]) (O, error) { return method(svc, ctx, in.Body) })
}

func ofRun[O any](method func(Service, context.Context, string) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, in *RunPath) (O, error) { return method(svc, ctx, in.Run) })
}

func runWord[T, O any](method func(Service, context.Context, string, T) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, in *toRun[T]) (O, error) {
		return method(svc, ctx, in.Run, in.Body)
	})
}

func projectWord[T, O any](method func(Service, context.Context, string, T) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, in *toProject[T]) (O, error) {
		return method(svc, ctx, in.Project, in.Body)
	})
}

func sessionWord[T, O any](method func(Service, context.Context, string, T) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Service, in *fromSession[T]) (O, error) {
		return method(svc, ctx, in.Session, in.Body)
	})
}

func toolWord[T, O any](method func(Tools, context.Context, string, T) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Tools, in *fromTool[T]) (O, error) {
		if in.Call != "" {
			ctx = WithCall(ctx, in.Call)
		}
		return own(ctx, in.Run, func() (O, error) { return method(svc, ctx, in.Run, in.Body) })
	})
}

func toolRead[O any](method func(Tools, context.Context, string) (O, error)) endpoint {
	return answering(func(ctx context.Context, svc Tools, in *RunPath) (O, error) {
		return own(ctx, in.Run, func() (O, error) { return method(svc, ctx, in.Run) })
	})
}

// listed puts what a method lists into the object that it is on the wire.
func listed[A, T, L any](method func(Service, context.Context, A) ([]T, error), wrap func([]T) L) func(Service, context.Context, A) (L, error) {
	return func(svc Service, ctx context.Context, arg A) (L, error) {
		list, err := method(svc, ctx, arg)
		return wrap(list), err
	}
}

// all is listed for a method that takes nothing.
func all[T, L any](method func(Service, context.Context) ([]T, error), wrap func([]T) L) func(Service, context.Context) (L, error) {
	return func(svc Service, ctx context.Context) (L, error) {
		list, err := method(svc, ctx)
		return wrap(list), err
	}
}
