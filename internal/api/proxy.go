package api

import "context"

// NewProxy is a Service that hands every call to one function, as its route with
// the request and a place for the answer; see endpoint for what those are. Guard
// is one, and the client another.
func NewProxy(do func(ctx context.Context, r Route, in, out any) error) Service {
	p := &proxy{do: do, routes: map[string]Route{}}
	for _, r := range Routes() {
		p.routes[r.ID] = r
	}
	return p
}

type proxy struct {
	do     func(ctx context.Context, r Route, in, out any) error
	routes map[string]Route
}

func call[O any](ctx context.Context, p *proxy, id string, in any) (O, error) {
	var out O
	err := p.do(ctx, p.routes[id], in, &out)
	return out, err
}

func attemptOf(run, attempt string) AttemptPath { return AttemptPath{RunPath{run}, attempt} }
