package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// Main is the program: it runs the command line of this process and returns
// the exit code.
func Main() int {
	if err := sealDescriptors(); err != nil {
		fmt.Fprintf(os.Stderr, "stellwerk: files left open by the shell cannot be kept from agents: %v\n", err)
		return ExitError
	}
	p := Program{
		Console: terminal.Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv),
		Version: version(), Env: os.Getenv, Dir: os.Getwd, Now: time.Now, PID: os.Getpid(),
		Interruptible: interruptible,
	}
	wire(&p)
	return p.Run(context.Background(), os.Args[1:])
}
