package sandbox

import (
	"fmt"
	"strings"
)

// environmentFD is where bubblewrap reads the environment of what it starts.
const environmentFD = firstInherited + 1

// outside keeps of an environment what bubblewrap itself, and any program that starts it, may have: the way to programs and
// to the manager of scopes, and the folder by which a salvage recognises the processes of a dead supervisor. Everything else
// is for the inside only: a variable such as LD_PRELOAD would have the repository's code run before there is a sandbox
// around it.
func outside(env []string) []string {
	kept := []string{} // nil would mean this process's environment
	for _, entry := range env {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "STELLWERK_OUT":
			kept = append(kept, entry)
		}
	}
	return kept
}

// Bounds of an environment. The kernel starts no program with a longer variable, and bubblewrap takes 9000 arguments in all,
// three for each variable.
const (
	longestVariable = 128<<10 - 1
	mostVariables   = 2500
)

// environment encodes an environment as arguments that bubblewrap reads from a file. In an argument list everybody on the
// machine could see the values.
func environment(env []string) ([]byte, error) {
	if len(env) > mostVariables {
		return nil, fmt.Errorf("sandbox: %d environment variables are too many; at most %d can be passed in", len(env), mostVariables)
	}
	var out []byte
	for _, entry := range env {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			continue
		}
		if len(entry) > longestVariable {
			return nil, fmt.Errorf("sandbox: the environment variable %s has %d bytes; at most %d can be passed in", name, len(entry), longestVariable)
		}
		out = append(out, "--setenv\x00"+name+"\x00"+value+"\x00"...)
	}
	return out, nil
}
