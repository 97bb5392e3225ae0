// Stellwerk-hook is the hook that Claude Code runs before every tool call: the
// same code as `stellwerk hook`, in a program that starts in a millisecond.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
)

func main() {
	// An answer that nobody reads must be an error here, not the end of this program.
	signal.Ignore(syscall.SIGPIPE)
	// A program that the client ends is a refusal without a reason; this one has one.
	time.AfterFunc(hook.Deadline(os.Getenv), func() {
		fmt.Fprintln(os.Stderr, "Stellwerk could not decide on this call in time, so it is refused")
		os.Exit(hook.ExitUndecided)
	})
	os.Exit(hook.Main(os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
