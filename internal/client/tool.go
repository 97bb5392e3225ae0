package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Delegate implements [api.Tools].
func (c *Client) Delegate(ctx context.Context, run string, req core.Proposal) (api.Delegated, error) {
	return ofRun[api.Delegated](ctx, c, http.MethodPost, nil, req, run, "tools", "delegate")
}

// Tell implements [api.Tools].
func (c *Client) Tell(ctx context.Context, run string, req api.Tell) (api.Told, error) {
	return ofRun[api.Told](ctx, c, http.MethodPost, nil, req, run, "tools", "message")
}

// Ask implements [api.Tools].
func (c *Client) Ask(ctx context.Context, run string, req api.Ask) (api.Asked, error) {
	return ofRun[api.Asked](ctx, c, http.MethodPost, nil, req, run, "tools", "question")
}

// UpdatePlan implements [api.Tools].
func (c *Client) UpdatePlan(ctx context.Context, run string, req api.UpdatePlan) (api.Plan, error) {
	return ofRun[api.Plan](ctx, c, http.MethodPost, nil, req, run, "tools", "plan")
}

// Detail implements [api.Tools].
func (c *Client) Detail(ctx context.Context, run string, req api.FetchDetail) (api.FetchedDetail, error) {
	query := url.Values{"name": {req.Name}}
	if req.From > 0 {
		query.Set("from", strconv.FormatInt(req.From, 10))
	}
	if req.Voice != "" {
		query.Set("role", string(req.Voice))
	}
	return ofRun[api.FetchedDetail](ctx, c, http.MethodGet, query, nil, run, "tools", "detail")
}

// Details implements [api.Tools].
func (c *Client) Details(ctx context.Context, run string) (api.DetailIndex, error) {
	return ofRun[api.DetailIndex](ctx, c, http.MethodGet, nil, nil, run, "tools", "details")
}

// Plan implements [api.Tools].
func (c *Client) Plan(ctx context.Context, run string) (api.Plan, error) {
	return ofRun[api.Plan](ctx, c, http.MethodGet, nil, nil, run, "tools", "plan")
}
