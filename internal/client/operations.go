package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// TestNotices implements [api.Operations].
func (c *Client) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	out, err := call[api.NoticeTests](ctx, c, http.MethodPost, endpoint("notices", "test"), nil, nil)
	return out.Tests, err
}

// Prune implements [api.Operations].
func (c *Client) Prune(ctx context.Context, req api.Prune) (api.Pruned, error) {
	return call[api.Pruned](ctx, c, http.MethodPost, endpoint("prune"), nil, req)
}
