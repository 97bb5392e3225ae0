package shim

import (
	"context"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// ReadOnlyShell runs a line of shell that sees the folder at root, read-only, and nothing else of the person's: no home, no
// credential, no state folder. If dir, in which it starts, lies elsewhere, it sees that too. Like Shell it returns the line's
// exit code, and the line ends with this process.
func ReadOnlyShell(root, dir, line string, limits Resources) (int, error) {
	env := variables{"TERM": "dumb", "SHELL": "/bin/sh", "HOME": "/tmp", "GIT_TERMINAL_PROMPT": "0"}
	env.add(HostEnvironment(os.Environ()))
	box := sandbox.Spec{
		Argv: []string{"/bin/bash", "-c", line}, Dir: dir, ReadOnly: paths([]string{root}), Network: sandbox.Network{Closed: true},
		MemoryFiles: limits.memoryFiles(),
	}
	if rel, err := filepath.Rel(root, dir); err != nil || !filepath.IsLocal(rel) {
		box.ReadOnly = paths([]string{root, dir})
	}
	if err := env.setPath(sandbox.Sandbox, box, ""); err != nil {
		return 0, err
	}
	box.Env = env.list()
	group, err := limits.group("look", sandbox.Sandbox, nil)
	if err != nil {
		return 0, err
	}
	defer group.Close()
	end, err := runLine(context.Background(), process{kind: sandbox.Sandbox, box: box, group: group, shared: limits.Shared})
	return end.code, err
}
