//go:build !linux

package bridge

// limits are those of a process that is no bridge.
type limits struct{}

// bound and ownLimits have nothing to do: only Linux has networks that need a bridge.
func bound(int64) error { return nil }

func ownLimits() (limits, error) { return limits{}, nil }
