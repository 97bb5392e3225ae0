package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Trust implements [api.Service].
func (c *Client) Trust(ctx context.Context, req api.Trust) (api.Trusted, error) {
	return call[api.Trusted](ctx, c, http.MethodPost, endpoint("trust"), nil, req)
}

// Import implements [api.Service].
func (c *Client) Import(ctx context.Context, req api.Import) (api.Imported, error) {
	return call[api.Imported](ctx, c, http.MethodPost, endpoint("import"), nil, req)
}

// Replay implements [api.Service].
func (c *Client) Replay(ctx context.Context, id string) (api.Replay, error) {
	return ofRun[api.Replay](ctx, c, http.MethodGet, nil, nil, id, "replay")
}

// Backup implements [api.Service].
func (c *Client) Backup(ctx context.Context, path string) error {
	_, err := call[api.Backup](ctx, c, http.MethodPost, endpoint("backup"), nil, api.Backup{Path: path})
	return err
}

// Info implements [api.Service].
func (c *Client) Info(ctx context.Context) (api.Info, error) {
	return call[api.Info](ctx, c, http.MethodGet, endpoint("info"), nil, nil)
}
