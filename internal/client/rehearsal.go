package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Rehearse implements [api.Service].
func (c *Client) Rehearse(ctx context.Context, req api.StartRun) (api.Rehearsal, error) {
	return call[api.Rehearsal](ctx, c, http.MethodPost, endpoint("rehearsals"), nil, req)
}

// Looking implements [api.Service].
func (c *Client) Looking(ctx context.Context, ticket string) (api.Looking, error) {
	return call[api.Looking](ctx, c, http.MethodGet, endpoint("starts", ticket), nil, nil)
}
