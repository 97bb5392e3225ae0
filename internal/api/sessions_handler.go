package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// SessionPath names an interactive session in an endpoint's path. It is
// exported because the framework passes over embedded fields that are not.
type SessionPath struct {
	Session string `path:"session" doc:"The name that the session's program gave it"`
}

// Done is the answer where there is nothing to say.
type Done struct{}

// sessionInput is what a hook of a session tells or asks.
type sessionInput[T any] struct {
	SessionPath
	Body T
}

func registerSessions(api huma.API, svc Sessions) {
	registerSession(api, "turn", "Ask what the session is to do now", svc.Turn)
	registerSession(api, "lease", "Make the workspace of an agent that is about to start", svc.Lease)
	registerSession(api, "take", "Give an agent that has started its work", svc.Take)
	registerSession(api, "handin", "Tell that an agent has ended", func(ctx context.Context, session string, req HandIn) (Done, error) {
		return Done{}, svc.HandIn(ctx, session, req)
	})
	registerSession(api, "say", "Tell what the person in the session typed", svc.Say)
	registerSession(api, "begin", "Tell that the session's program has started", svc.Begin)
	registerSession(api, "end", "Tell that the session's program ends", func(ctx context.Context, session string, _ Done) (Done, error) {
		return Done{}, svc.End(ctx, session)
	})
}

func registerSession[I, O any](api huma.API, verb, summary string, call func(context.Context, string, I) (O, error)) {
	register(api, operation(api, "session-"+verb, http.MethodPost, "/v1/sessions/{session}/"+verb, summary),
		func(ctx context.Context, in *sessionInput[I]) (O, error) { return call(ctx, in.Session, in.Body) })
}
