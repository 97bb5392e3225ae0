//go:build race

package e2e

import (
	"os"
	"syscall"
)

// impatient keeps a program that is built with the race detector from sleeping
// for a second before it ends. The detector reads this when a process begins,
// and the program hands no such variable to agents.
func impatient() {
	if os.Getenv("GORACE") != "" {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	// Where this fails, the program is slow and nothing else.
	_ = syscall.Exec(self, os.Args, append(os.Environ(), raceOptions))
}
