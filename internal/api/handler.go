package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// Handler serves svc over HTTP: JSON in and out, problems for errors, the
// OpenAPI document at /openapi.json. Every request needs a token that auth
// knows.
func Handler(svc Service, auth Authenticator, version string) http.Handler {
	mux, _ := routes(svc, version)
	return authenticated(auth, personHint, Bounded(mux, writeProblem))
}

// AdmittedHandler is Handler for requests whose caller is known already: it is
// in their context, see WithCaller.
func AdmittedHandler(svc Service, version string) http.Handler {
	mux, _ := routes(svc, version)
	next := Bounded(mux, writeProblem)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		spoken(w, r, CallerFrom(r.Context()), next)
	})
}

// Describe is the OpenAPI document of the service.
func Describe(version string) *huma.OpenAPI {
	_, api := routes(Guard(nil), version) // nobody calls it
	return api.OpenAPI()
}

func routes(svc Service, version string) (*http.ServeMux, huma.API) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		NewProblem(http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path, "see /openapi.json for what there is").Write(w)
	})
	api := humago.New(mux, config(version))
	for _, r := range Routes() {
		r.connect(api, svc)
	}
	return mux, api
}

func config(version string) huma.Config {
	c := huma.DefaultConfig("Stellwerk", version)
	c.Info.Description = "Drives coding agents from a goal to a reviewed pull request."
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: strictjson.Unmarshal}
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	c.Transformers = []huma.Transformer{ownProblems}
	return c
}

// schemaName keeps apart the two meanings of Pause: the request and the state.
func schemaName(t reflect.Type, hint string) string {
	if t == reflect.TypeFor[core.Pause]() || t == reflect.TypeFor[*core.Pause]() {
		return "PauseState"
	}
	return huma.DefaultSchemaNamer(t, hint)
}
