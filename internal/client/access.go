package client

import (
	"context"
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Tokens implements [api.Access].
func (c *Client) Tokens(ctx context.Context) ([]api.Token, error) {
	list, err := call[api.TokenList](ctx, c, http.MethodGet, endpoint("tokens"), nil, nil)
	return list.Tokens, err
}

// AddToken implements [api.Access].
func (c *Client) AddToken(ctx context.Context, req api.AddToken) (api.NewToken, error) {
	return call[api.NewToken](ctx, c, http.MethodPost, endpoint("tokens"), nil, req)
}

// RevokeToken implements [api.Access].
func (c *Client) RevokeToken(ctx context.Context, id string, req api.RevokeToken) (api.Token, error) {
	switch id {
	case "", ".", "..":
		return api.Token{}, core.Errorf(core.CodeNotFound, "there is no token %q", id).WithHint("`stellwerk tokens list` shows them")
	}
	return call[api.Token](ctx, c, http.MethodPost, endpoint("tokens", id, "revoke"), nil, req)
}

// SignIn implements [api.Access].
func (c *Client) SignIn(ctx context.Context, req api.SignIn) (api.SignInCode, error) {
	return call[api.SignInCode](ctx, c, http.MethodPost, endpoint("sign-in"), nil, req)
}
