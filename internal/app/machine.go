package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
)

// machine tells this machine apart from others with engines on the same store; "" if there
// cannot be any. It outlasts a new name of the host.
func (a *App) machine() string {
	if a.opts.Database == "" {
		return ""
	}
	return cmp.Or(a.opts.Machine, systemID(), hostname())
}

// place names the machine whose slots attempts take, without telling its id; "" if there is only one.
func (a *App) place() string {
	machine := a.machine()
	if machine == "" {
		return ""
	}
	const enough = 8
	sum := sha256.Sum256([]byte("place " + machine))
	return hex.EncodeToString(sum[:enough])
}
