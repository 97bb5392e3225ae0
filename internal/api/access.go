package api

import (
	"context"
	"time"
)

// Access is who may reach the engine over the network.
type Access interface {
	// Tokens lists people's tokens, also those that were revoked.
	Tokens(ctx context.Context) ([]Token, error)
	// AddToken makes one. The secret is in the answer and nowhere else.
	AddToken(ctx context.Context, req AddToken) (NewToken, error)
	// RevokeToken ends one, named by its id or name, and the sessions that began
	// with it.
	RevokeToken(ctx context.Context, id string, req RevokeToken) (Token, error)
	// SignIn makes a code by which the caller can sign in once with a browser, as
	// themselves. It fails with CodeUnavailable if the engine does not listen.
	SignIn(ctx context.Context, req SignIn) (SignInCode, error)
}

// Token is a person's token, without its secret.
type Token struct {
	ID        string     `json:"id"`
	Name      string     `json:"name" doc:"Whose words are said with it"`
	Role      Role       `json:"role" doc:"viewer, approver or admin"`
	CreatedAt time.Time  `json:"created_at"`
	CreatedBy string     `json:"created_by"`
	UsedAt    *time.Time `json:"used_at,omitempty" doc:"Last use, to within minutes"`
	RevokedAt *time.Time `json:"revoked_at,omitempty"`
	RevokedBy string     `json:"revoked_by,omitempty"`
}

// AddToken asks for a token.
type AddToken struct {
	Name string `json:"name"`
	Role Role   `json:"role" doc:"viewer, approver or admin"`
}

// NewToken is a token with its secret.
type NewToken struct {
	Token
	Secret string `json:"secret" doc:"Shown once"`
}

// RevokeToken ends a token.
type RevokeToken struct{}

// SignIn asks for a code.
type SignIn struct{}

// SignInCode lets one browser in, once.
type SignInCode struct {
	Code  string    `json:"code"`
	URL   string    `json:"url" doc:"Where it is taken; the code is behind the #, which browsers send to nobody"`
	Until time.Time `json:"until"`
}

// TokenList is a list of tokens.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}
