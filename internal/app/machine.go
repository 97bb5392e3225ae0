package app

import "cmp"

// machine tells this machine apart from others with engines on the same store; "" if there
// cannot be any. It outlasts a new name of the host.
func (a *App) machine() string {
	if a.opts.Database == "" {
		return ""
	}
	return cmp.Or(a.opts.Machine, systemID(), hostname())
}
