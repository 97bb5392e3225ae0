package client

import (
	"context"
	"net/http"

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

// Plan implements [api.Tools].
func (c *Client) Plan(ctx context.Context, run string) (api.Plan, error) {
	return ofRun[api.Plan](ctx, c, http.MethodGet, nil, nil, run, "tools", "plan")
}
