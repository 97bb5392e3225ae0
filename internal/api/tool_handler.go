package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ToolHandler serves the agents' tools and nothing else: whatever an agent sends
// to it, it cannot reach what is a person's.
func ToolHandler(svc Tools, auth Authenticator, version string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, newProblem(http.StatusNotFound, core.CodeNotFound,
			"there is no "+r.Method+" "+r.URL.Path+" for an attempt", "`stellwerk tool --help` says what there is"))
	})
	registerTools(humago.New(mux, config(version)), svc)
	return authenticated(auth, "an attempt sends $STELLWERK_TOKEN as a bearer token", Bounded(mux, writeProblem))
}

func registerTools(api huma.API, svc Tools) {
	registerTool(api, "delegate", "Have work done", svc.Delegate)
	registerTool(api, "message", "Write to the conversation", svc.Tell)
	registerTool(api, "question", "Ask people something", svc.Ask)
	registerTool(api, "plan", "Commit the plan's documents", svc.UpdatePlan)
	register(api, operation(api, "tool-show-plan", http.MethodGet, "/v1/runs/{run}/tools/plan", "Read the plan's documents"),
		func(ctx context.Context, in *RunPath) (Plan, error) {
			if err := own(ctx, in.Run); err != nil {
				return Plan{}, err
			}
			return svc.Plan(ctx, in.Run)
		})
	registerDetails(api, svc)
}

// toolInput is a call of a tool.
type toolInput[T any] struct {
	RunPath
	Call string `header:"Idempotency-Key" maxLength:"64" doc:"Names the call; one that is repeated by its name is carried out once"`
	Body T
}

func registerTool[I, O any](api huma.API, tool, summary string, call func(context.Context, string, I) (O, error)) {
	register(api, operation(api, "tool-"+tool, http.MethodPost, "/v1/runs/{run}/tools/"+tool, summary),
		func(ctx context.Context, in *toolInput[I]) (O, error) {
			if err := own(ctx, in.Run); err != nil {
				var none O
				return none, err
			}
			return call(WithCall(ctx, in.Call), in.Run, in.Body)
		})
}

// own keeps an attempt to its own run.
func own(ctx context.Context, run string) error {
	if caller := CallerFrom(ctx); caller.Run != "" && caller.Run != run {
		return core.Errorf(core.CodeForbidden, "an attempt speaks for its own run only")
	}
	return nil
}
