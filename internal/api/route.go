package api

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Route is one method of Service: how it looks on the wire, which role may call
// it, and how it is called. Handlers, Guard and the client all work from it.
type Route struct {
	ID      string // of the operation in the OpenAPI document
	Method  string
	Path    string // with parameters in braces
	Summary string
	// Role is the least that may call it. A request may ask for more than that
	// role allows; further says so.
	Role Role
	to   string // what a refusal says the role is needed for
	// further refuses what a request asks for beyond its plainest form.
	further func(ctx context.Context, svc Service, in any) error
	endpoint
}

// endpoint connects the wire to a method. A request is a pointer to a struct
// whose fields are tagged path, query or header, or called Body. An answer is a
// pointer to what the body of the response holds; for a document it is the
// io.Writer, and for a stream the function, that the method takes.
type endpoint struct {
	call     func(ctx context.Context, svc, in, out any) error
	register func(api huma.API, op huma.Operation, svc any)
}

// Call hands a request to the method of svc that the route is for.
func (r Route) Call(ctx context.Context, svc, in, out any) error { return r.call(ctx, svc, in, out) }

// route describes an endpoint; at is its method and path.
func route(role Role, to, id, at, summary string, e endpoint) Route {
	method, path, _ := strings.Cut(at, " ")
	return Route{ID: id, Method: method, Path: path, Summary: summary, Role: role, to: to, endpoint: e}
}

// limited adds what a request of type I asks for beyond the route's role.
func limited[I any](r Route, further func(ctx context.Context, svc Service, in *I) error) Route {
	r.further = func(ctx context.Context, svc Service, in any) error { return further(ctx, svc, in.(*I)) }
	return r
}

// connect registers the route's operation.
func (r Route) connect(api huma.API, svc any) { r.register(api, r.operation(api), svc) }

// operation describes the route. Its errors are problems, whichever they are.
func (r Route) operation(api huma.API) huma.Operation {
	problem := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")
	return huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary,
		BodyReadTimeout: -1, MaxBodyBytes: -1, // bounded has read and limited it
		RejectUnknownQueryParameters: true,
		Responses: map[string]*huma.Response{"default": {
			Description: "What went wrong",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: problem}},
		}},
	}
}

// body is a response.
type body[T any] struct{ Body T }

// answering is an endpoint whose answer is JSON.
func answering[S, I, O any](method func(context.Context, S, *I) (O, error)) endpoint {
	return endpoint{
		call: func(ctx context.Context, svc, in, out any) (err error) {
			*out.(*O), err = method(ctx, svc.(S), in.(*I))
			return err
		},
		register: func(api huma.API, op huma.Operation, svc any) {
			huma.Register(api, op, func(ctx context.Context, in *I) (*body[O], error) {
				out, err := method(ctx, svc.(S), in)
				if err != nil {
					return nil, problemOf(err)
				}
				withoutNull(reflect.ValueOf(&out).Elem())
				return &body[O]{Body: out}, nil
			})
		},
	}
}

// withoutNull makes the lists and maps of an answer that are always there [] and
// {} on the wire, not null.
func withoutNull(answer reflect.Value) {
	for i := range answer.NumField() {
		field, v := answer.Type().Field(i), answer.Field(i)
		switch {
		case field.Anonymous && v.Kind() == reflect.Struct:
			withoutNull(v)
		case strings.Contains(field.Tag.Get("json"), ",omit"):
		case v.Kind() == reflect.Slice && v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		case v.Kind() == reflect.Map && v.IsNil():
			v.Set(reflect.MakeMap(v.Type()))
		}
	}
}

// writing is an endpoint whose answer is a document.
func writing[I any](contentType string, method func(context.Context, Service, *I, io.Writer) error) endpoint {
	return endpoint{
		call: func(ctx context.Context, svc, in, out any) error {
			return method(ctx, svc.(Service), in.(*I), out.(io.Writer))
		},
		register: func(api huma.API, op huma.Operation, svc any) {
			op.Responses["200"] = &huma.Response{Description: "The document", Content: map[string]*huma.MediaType{contentType: {}}}
			huma.Register(api, op, func(_ context.Context, in *I) (*huma.StreamResponse, error) {
				return &huma.StreamResponse{Body: func(hc huma.Context) {
					r, w := humago.Unwrap(hc)
					err := ServeDocument(w, http.Header{"Content-Type": {contentType}}, func(out io.Writer) error {
						return method(r.Context(), svc.(Service), in, out)
					})
					if err != nil {
						writeProblem(w, problemOf(err))
					}
				}}, nil
			})
		},
	}
}

// streaming is an endpoint whose answer is server-sent events, each told to a
// function of type F. Open looks at a request before the head of the answer is
// sent, and gives what then writes the events.
func streaming[I, F any](description string, method func(context.Context, Service, *I, F) error,
	open func(context.Context, Service, *I) (func(context.Context, http.ResponseWriter), error),
) endpoint {
	return endpoint{
		call: func(ctx context.Context, svc, in, out any) error {
			return method(ctx, svc.(Service), in.(*I), out.(F))
		},
		register: func(api huma.API, op huma.Operation, svc any) {
			op.Responses["200"] = &huma.Response{Description: description, Content: map[string]*huma.MediaType{"text/event-stream": {}}}
			huma.Register(api, op, func(ctx context.Context, in *I) (*huma.StreamResponse, error) {
				write, err := open(ctx, svc.(Service), in)
				if err != nil {
					return nil, problemOf(err)
				}
				return &huma.StreamResponse{Body: func(hc huma.Context) {
					r, w := humago.Unwrap(hc)
					write(r.Context(), w)
				}}, nil
			})
		},
	}
}
