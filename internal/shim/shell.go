package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// ErrNotRunning means that an attempt is over, or has not begun.
var ErrNotRunning = errors.New("the attempt is not running")

// Shell runs a line of shell as a part of the attempt in folder: with its isolation, its environment, its limits and its
// view of the files, and without a secret. It is for an agent that another program runs. It returns the line's exit code.
// The line ends with this process, however that ends, and with the attempt. /tmp lasts for one line; the folder that TMPDIR
// names lasts for the attempt and counts towards its disk limit.
func Shell(folder, line, self string) (int, error) {
	state, err := Look(folder)
	if err != nil {
		return 0, err
	}
	if state != StateRunning {
		return 0, fmt.Errorf("%w: it is %s", ErrNotRunning, state)
	}
	spec, err := ReadSpec(folder)
	if err != nil {
		return 0, err
	}
	way, err := joinGateway(folder, spec, self)
	if err != nil {
		return 0, err
	}
	box, err := agentBox(folder, spec, self, agent.Launch{Argv: []string{"/bin/bash", "-c", line}}, nil, way)
	if err != nil {
		return 0, err
	}
	tmp := filepath.Join(spec.Job.Home, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return 0, fmt.Errorf("make a temporary folder: %w", err)
	}
	// The attempt may be hours old, so the sandbox searches for private files again.
	env := variables{}
	env.add(append(box.Env, "TMPDIR="+tmp))
	box.Tmp, box.Private, box.Env = "", nil, env.list()
	if _, err := os.Stat(box.Dir); err != nil { // otherwise the error would name the shell
		return 0, fmt.Errorf("enter the workspace: %w", err)
	}
	group, err := spec.Resources.group(spec.Attempt+"-line", spec.Isolation, nil)
	if err != nil {
		return 0, err
	}
	defer group.Close()
	return attemptLine(folder, process{kind: spec.Isolation, box: box, group: group, shared: spec.Resources.Shared})
}
