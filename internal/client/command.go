package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Approve implements [api.Service].
func (c *Client) Approve(ctx context.Context, id string, req api.Approve) (api.Run, error) {
	return c.command(ctx, id, "approve", req)
}

// Feedback implements [api.Service].
func (c *Client) Feedback(ctx context.Context, id string, req api.Feedback) (api.Run, error) {
	return c.command(ctx, id, "feedback", req)
}

// Rollback implements [api.Service].
func (c *Client) Rollback(ctx context.Context, id string, req api.Rollback) (api.Run, error) {
	return c.command(ctx, id, "rollback", req)
}

// Skip implements [api.Service].
func (c *Client) Skip(ctx context.Context, id string, req api.Skip) (api.Run, error) {
	return c.command(ctx, id, "skip", req)
}

// Retry implements [api.Service].
func (c *Client) Retry(ctx context.Context, id string, req api.Retry) (api.Run, error) {
	return c.command(ctx, id, "retry", req)
}

// Pause implements [api.Service].
func (c *Client) Pause(ctx context.Context, id string, req api.Pause) (api.Run, error) {
	return c.command(ctx, id, "pause", req)
}

// Resume implements [api.Service].
func (c *Client) Resume(ctx context.Context, id string, req api.Resume) (api.Run, error) {
	return c.command(ctx, id, "resume", req)
}

// Cancel implements [api.Service].
func (c *Client) Cancel(ctx context.Context, id string, req api.Cancel) (api.Run, error) {
	return c.command(ctx, id, "cancel", req)
}

// Merge implements [api.Service].
func (c *Client) Merge(ctx context.Context, id string, req api.Merge) (api.Run, error) {
	return c.command(ctx, id, "merge", req)
}

// Mergeable implements [api.Service].
func (c *Client) Mergeable(ctx context.Context, id string) (api.Mergeable, error) {
	return ofRun[api.Mergeable](ctx, c, http.MethodGet, nil, nil, id, "merge")
}

// Swap implements [api.Service].
func (c *Client) Swap(ctx context.Context, id string, req api.Swap) (api.Run, error) {
	return c.command(ctx, id, "swap", req)
}

func (c *Client) command(ctx context.Context, id, verb string, req any) (api.Run, error) {
	return ofRun[api.Run](ctx, c, http.MethodPost, nil, req, id, verb)
}
