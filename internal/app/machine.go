package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// machine tells this machine apart from others with engines on the same store; "" if there
// cannot be any.
func (a *App) machine(ctx context.Context) string {
	if !a.place.Shared() {
		return ""
	}
	return a.thisMachine(ctx)
}

func (a *App) thisMachine(ctx context.Context) string {
	return cmp.Or(a.opts.Machine, statefolder.Machine(ctx))
}

// place names the machine whose slots attempts take, without telling its id.
func place(machine string) string {
	if machine == "" {
		return "local"
	}
	const enough = 8
	sum := sha256.Sum256([]byte("place " + machine))
	return hex.EncodeToString(sum[:enough])
}
