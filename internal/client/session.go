package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

var _ api.Sessions = (*Client)(nil)

// Turn implements [api.Sessions].
func (c *Client) Turn(ctx context.Context, session string, req api.TurnQuery) (api.Turn, error) {
	return ofSession[api.Turn](ctx, c, session, "turn", req)
}

// Lease implements [api.Sessions].
func (c *Client) Lease(ctx context.Context, session string, req api.Lease) (api.Leased, error) {
	return ofSession[api.Leased](ctx, c, session, "lease", req)
}

// Take implements [api.Sessions].
func (c *Client) Take(ctx context.Context, session string, req api.Take) (api.Assignment, error) {
	return ofSession[api.Assignment](ctx, c, session, "take", req)
}

// HandIn implements [api.Sessions].
func (c *Client) HandIn(ctx context.Context, session string, req api.HandIn) error {
	_, err := ofSession[api.Done](ctx, c, session, "handin", req)
	return err
}

// Say implements [api.Sessions].
func (c *Client) Say(ctx context.Context, session string, req api.Say) (api.Turn, error) {
	return ofSession[api.Turn](ctx, c, session, "say", req)
}

// Begin implements [api.Sessions].
func (c *Client) Begin(ctx context.Context, session string, req api.Begin) (api.Turn, error) {
	return ofSession[api.Turn](ctx, c, session, "begin", req)
}

// End implements [api.Sessions].
func (c *Client) End(ctx context.Context, session string) error {
	_, err := ofSession[api.Done](ctx, c, session, "end", api.Done{})
	return err
}

func ofSession[T any](ctx context.Context, c *Client, session, verb string, req any) (T, error) {
	if !snapshot.IsSession(session) {
		var none T
		return none, core.Errorf(core.CodeInvalid, "%.80q is not the name of a session", session)
	}
	return call[T](ctx, c, http.MethodPost, endpoint("sessions", session, verb), nil, req)
}
