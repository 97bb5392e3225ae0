//go:build !planted

package core

// dropped reports a field that an upcast leaves out.
func dropped(string) bool { return false }
