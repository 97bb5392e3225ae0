// Package cli is the command line: the root of the commands, which live in
// packages by noun below it, one command, one file. A command reads its flags,
// asks the engine through api.Service and prints the answer. It must not decide
// what happens to a run, and it gets everything outside of it (the engine, the
// terminal, the environment) from the shell.Program value, so that tests run the
// real commands.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/hook/deploy"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

// Main is the program: it runs the command line of this process and returns
// the exit code.
func Main() int {
	if filepath.Base(os.Args[0]) == deploy.HookProgram {
		return hook.Main(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	}
	if err := worker.SealDescriptors(); err != nil {
		fmt.Fprintf(os.Stderr, "stellwerk: cannot close the files that the shell left open, so agents would see them: %v\n", err)
		return shell.ExitError
	}
	worker.Intercept() // each attempt starts several, and nothing else is made ready for them
	wall.Intercept()
	dir, err := os.Getwd()
	if err != nil { // it was deleted: then its name is what messages can tell
		dir = cmp.Or(os.Getenv("PWD"), "/")
	}
	p := shell.Program{
		Console: terminal.Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv),
		Build:   built(), Env: os.Getenv, Dir: dir, Now: time.Now,
		Interruptible: shell.Interruptible,
	}
	wire(&p)
	return Run(context.Background(), p, os.Args[1:])
}
