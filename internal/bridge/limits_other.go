//go:build !linux

package bridge

// limits are those of a process that is no bridge.
type limits struct{}

// ownLimits has nothing to read: only Linux has networks that need a bridge.
func ownLimits() (limits, error) { return limits{}, nil }
