package cli

import (
	"context"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// Main is the program: it runs the command line of this process and returns
// the exit code.
func Main() int {
	p := Program{
		Console: terminal.Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv),
		Version: version(), Env: os.Getenv, Dir: os.Getwd, Now: time.Now, PID: os.Getpid(),
		Interruptible: interruptible,
	}
	wire(&p)
	return p.Run(context.Background(), os.Args[1:])
}
