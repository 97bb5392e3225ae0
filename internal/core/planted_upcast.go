//go:build planted

package core

import "github.com/stellwerk-dev/stellwerk/internal/planted"

// dropped with a planted bug has an upcast leave out what a person can do.
func dropped(name string) bool { return name == "choices" && planted.Is("upcast") }
