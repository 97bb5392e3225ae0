package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// ErrNotRunning means that an attempt is over, or has not begun.
var ErrNotRunning = errors.New("the attempt is not running")

// Shell runs a line of shell as a part of the attempt in folder: with its isolation, its environment and its view of
// the files, and without a secret. It is for an agent that another program runs and that asks for a tool. Shell
// replaces this process, so that who started it holds the line itself by its pid. /tmp lasts for one line; what TMPDIR
// names lasts for the attempt.
func Shell(folder, line, self string, bridge []string) error {
	state, err := Look(folder)
	if err != nil {
		return err
	}
	if state != StateRunning {
		return fmt.Errorf("%w: it is %s", ErrNotRunning, state)
	}
	spec, err := ReadSpec(folder)
	if err != nil {
		return err
	}
	way, err := joinGateway(folder, spec, bridge)
	if err != nil {
		return err
	}
	box, err := agentBox(folder, spec, self, agent.Launch{Argv: []string{"/bin/bash", "-c", line}}, nil, way)
	if err != nil {
		return err
	}
	tmp := filepath.Join(spec.Job.Home, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	// The attempt may be hours old: what is private is searched for again.
	env := variables{}
	env.add(append(box.Env, "TMPDIR="+tmp))
	box.Tmp, box.Private, box.Env = "", nil, env.list()
	launch, err := sandbox.Command(spec.Isolation, box)
	if err != nil {
		return err
	}
	if err := os.Chdir(box.Dir); err != nil {
		return fmt.Errorf("enter the workspace: %w", err)
	}
	return launch.Exec(box.Env)
}
