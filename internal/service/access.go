package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Tokens implements api.Access.
func (a *Service) Tokens(ctx context.Context) ([]api.Token, error) { return a.access.List(ctx) }

// AddToken implements api.Access.
func (a *Service) AddToken(ctx context.Context, req api.AddToken) (api.NewToken, error) {
	by, err := letsIn(ctx)
	if err != nil {
		return api.NewToken{}, err
	}
	t, secret, err := a.access.Add(ctx, req.Name, req.Role, by)
	if err == nil {
		a.log.Info("a token was made", "token", t.ID, "name", t.Name, "role", t.Role, "by", by)
	}
	return api.NewToken{Token: t, Secret: secret}, err
}

// RevokeToken implements api.Access.
func (a *Service) RevokeToken(ctx context.Context, id string, _ api.RevokeToken) (api.Token, error) {
	by, err := letsIn(ctx)
	if err != nil {
		return api.Token{}, err
	}
	t, err := a.access.Revoke(ctx, id, by)
	if err == nil {
		a.log.Info("a token was revoked", "token", t.ID, "name", t.Name, "by", by)
	}
	return t, err
}

// letsIn is the person on whose word somebody is let in or shut out. A session is
// no person, and neither is a process that was started inside of one.
func letsIn(ctx context.Context) (string, error) {
	c := api.CallerFrom(ctx)
	if c.Actor.Kind != core.ActorPerson || len(c.Inside) > 0 {
		return "", core.Errorf(core.CodeForbidden, "only a person can decide who gets access").
			WithHint("do it in a terminal of your own")
	}
	return c.Actor.ID, nil
}

// Reached notes where the network reaches the engine.
func (a *Service) Reached(address string) { a.address.Store(&address) }

// SignIn implements api.Access.
func (a *Service) SignIn(ctx context.Context, _ api.SignIn) (api.SignInCode, error) {
	if _, err := letsIn(ctx); err != nil {
		return api.SignInCode{}, err
	}
	address := a.address.Load()
	if address == nil {
		return api.SignInCode{}, core.Errorf(core.CodeUnavailable, "the engine does not listen on the network, so there is no cockpit to sign in to").
			WithHint("end it, then start one that listens").Offer(core.Choice{Verb: core.VerbServe})
	}
	code, until, err := a.access.Code(ctx, api.CallerFrom(ctx))
	if err != nil {
		return api.SignInCode{}, err
	}
	return api.SignInCode{Code: code, URL: *address + "/sign-in#" + code, Until: until}, nil
}
