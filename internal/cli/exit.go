package cli

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

// exitByStatus is the one place that turns a run's status into an exit code.
func exitByStatus(status core.RunStatus) int {
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

// exitError ends the program with a code after everything was said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exitWith is nil for 0.
func exitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return exitError(code)
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInterrupted is the cause of a context that the person ended.
var errInterrupted = errors.New("interrupted")

// complain says what happened and what to do next.
func (p Program) complain(message, hint string) {
	prefix := p.Console.Style.Bad("stellwerk:") + " "
	for line := range strings.SplitSeq(strings.TrimRight(terminal.Text(message), "\n"), "\n") {
		p.tell(prefix, line)
		prefix = "  "
	}
	if hint != "" {
		p.tell("  try: ", terminal.Line(hint))
	}
}

// tell writes a line behind a prefix to standard error, wrapped where that is a
// screen.
func (p Program) tell(prefix, line string) {
	for _, l := range terminal.Hang(prefix, line, p.Console.ErrWidth()) {
		fmt.Fprintf(p.Console.Err, "%s\n", l)
	}
}
