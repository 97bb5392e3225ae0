//go:build planted

package planted

// bug is set by the linker.
var bug string

// Is reports that this bug is in the program.
func Is(name string) bool { return bug == name }
