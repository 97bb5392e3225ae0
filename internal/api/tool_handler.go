package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ToolHandler serves the agents' tools and nothing else: whatever an agent sends
// to it, it cannot reach what is a person's.
func ToolHandler(svc Tools, auth Authenticator, version string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		NewProblem(http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path+" for an attempt", "the help of the tools says what there is").Write(w)
	})
	api := humago.New(mux, config(version))
	for _, r := range toolRoutes() {
		r.connect(api, svc)
	}
	return authenticated(auth, "an attempt sends $STELLWERK_TOKEN as a bearer token", Bounded(mux, writeProblem))
}

// own keeps an attempt to its own run.
func own[O any](ctx context.Context, run string, call func() (O, error)) (O, error) {
	if caller := CallerFrom(ctx); caller.Run != "" && caller.Run != run {
		var none O
		return none, core.Errorf(core.CodeForbidden, "an attempt can use the tools of its own run only")
	}
	return call()
}
