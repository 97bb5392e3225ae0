package api

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Caller is who asks.
type Caller struct {
	Actor core.Actor
	// Inside are the interactive sessions that the caller's process was started
	// in, whatever it says about itself.
	Inside []string
	// Run is the only one that the caller may speak to; any if empty.
	Run string
	// Role is what the caller may do, see Guard.
	Role Role
	// Token is the id of the token by which the caller came, themselves or to sign
	// in; empty for the owner.
	Token string
}

type callerKey struct{}

// WithCaller notes who asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is who asks; the zero Caller, which may do nothing, where unknown.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
