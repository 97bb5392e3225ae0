package api

import "context"

// CallHeader names a call of a tool. Whoever lost the answer may call again by
// the same name: the call is carried out once.
const CallHeader = "Idempotency-Key"

type callKey struct{}

// WithCall names the call that is made with ctx.
func WithCall(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, callKey{}, name)
}

// CallFrom is the name that WithCall gave; "" where it gave none.
func CallFrom(ctx context.Context) string {
	name, _ := ctx.Value(callKey{}).(string)
	return name
}
