package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/hook/deploy"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

// Main is the program: it runs the command line of this process and returns
// the exit code.
func Main() int {
	if filepath.Base(os.Args[0]) == deploy.HookProgram {
		return hook.Main(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	}
	if err := sealDescriptors(); err != nil {
		fmt.Fprintf(os.Stderr, "stellwerk: cannot close the files that the shell left open, so agents would see them: %v\n", err)
		return ExitError
	}
	bridge.Intercept() // it starts every command of a sandbox, and nothing else is made ready for it
	wall.Intercept()
	p := Program{
		Console: terminal.Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv),
		Build:   built(), Env: os.Getenv, Dir: os.Getwd, Now: time.Now,
		Interruptible: interruptible,
	}
	wire(&p)
	return Run(context.Background(), p, os.Args[1:])
}
