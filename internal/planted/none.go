//go:build !planted

package planted

// Is reports that this bug is in the program.
func Is(string) bool { return false }
