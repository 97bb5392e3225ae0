//go:build !linux

package wall

// What a call that is refused, and one that does not exist, would be told.
const refusedCall, noCall = "refused", "missing"

// tryCalls has nothing to try: there is no filter of system calls here.
func tryCalls() map[string]string { return nil }
