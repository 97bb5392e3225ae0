package shell

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The exit codes.
const (
	ExitOK      = 0 // done; of a run: completed
	ExitError   = 1
	ExitUsage   = 2
	ExitWaiting = 3 // the run waits for a person or is paused
	ExitFailed  = 4 // the run failed or was cancelled
)

// ExitByStatus is the one place that turns a run's status into an exit code.
func ExitByStatus(status core.RunStatus) int {
	switch status {
	case core.StatusCompleted:
		return ExitOK
	case core.StatusFailed, core.StatusCancelled:
		return ExitFailed
	case core.StatusActive, core.StatusAwaiting, core.StatusPaused, core.StatusReview:
		return ExitWaiting
	}
	return ExitWaiting
}

// Status ends the program with a code and prints nothing more.
type Status int

func (e Status) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Exit is the error that ends the program with a code; nil for 0.
func Exit(code int) error {
	if code == ExitOK {
		return nil
	}
	return Status(code)
}

// UsageError is a command line that cannot be understood.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usagef is a UsageError in words.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ErrInterrupted is the cause of a context that the person ended.
var ErrInterrupted = errors.New("interrupted")

// Complain writes an error and its hint to standard error.
func (p Program) Complain(message, hint string) {
	prefix := p.Console.Style.Bad("stellwerk:") + " "
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Text(message), "\n"), "\n") {
		p.Tell(prefix, line)
		prefix = "  "
	}
	if hint != "" {
		p.Tell("  try: ", terminal.Line(hint))
	}
}

// Tell writes a line behind a prefix to standard error, wrapped on a screen.
func (p Program) Tell(prefix, line string) {
	for _, l := range terminal.Hang(prefix, line, p.Console.ErrWidth()) {
		fmt.Fprintf(p.Console.Err, "%s\n", l)
	}
}
