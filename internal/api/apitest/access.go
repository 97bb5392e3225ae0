package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Access is what the service answers about who may come in.
type Access struct {
	Tokens []api.Token
	Secret string
	Code   api.SignInCode
}

// Tokens answers with those of Access.
func (s *Service) Tokens(context.Context) ([]api.Token, error) { return s.Access.Tokens, nil }

// AddToken answers with what was asked for and the secret of Access.
func (s *Service) AddToken(ctx context.Context, req api.AddToken) (api.NewToken, error) {
	return api.NewToken{Token: api.Token{ID: "t1", Name: req.Name, Role: req.Role}, Secret: s.Access.Secret}, s.word(ctx, "add-token", "", req)
}

// RevokeToken answers with the token's id.
func (s *Service) RevokeToken(ctx context.Context, id string, req api.RevokeToken) (api.Token, error) {
	return api.Token{ID: id}, s.word(ctx, "revoke-token", id, req)
}

// SignIn answers with the code of Access.
func (s *Service) SignIn(ctx context.Context, req api.SignIn) (api.SignInCode, error) {
	return s.Access.Code, s.word(ctx, "sign-in", "", req)
}
