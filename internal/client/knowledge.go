package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Outline implements [api.Knowledge].
func (c *Client) Outline(ctx context.Context, id string) (api.Outline, error) {
	return ofRun[api.Outline](ctx, c, http.MethodGet, nil, nil, id, "outline")
}

// Facts implements [api.Knowledge].
func (c *Client) Facts(ctx context.Context, id string, history bool) ([]core.Fact, error) {
	query := url.Values{}
	if history {
		query.Set("history", "true")
	}
	list, err := ofRun[api.FactList](ctx, c, http.MethodGet, query, nil, id, "facts")
	return list.Facts, err
}

// Conflicts implements [api.Knowledge].
func (c *Client) Conflicts(ctx context.Context, id string) ([]core.Conflict, error) {
	list, err := ofRun[api.ConflictList](ctx, c, http.MethodGet, nil, nil, id, "conflicts")
	return list.Conflicts, err
}
