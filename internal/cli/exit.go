package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
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

// ranError marks an error of a command that was understood; all others come
// from reading the command line.
type ranError struct{ error }

func (e ranError) Unwrap() error { return e.error }

// errInterrupted is the cause of a context that the person ended.
var errInterrupted = errors.New("interrupted")

// conclude prints an error and returns the exit code.
func (sh *shell) conclude(cmd *cobra.Command, err error, asJSON bool) int {
	if err == nil {
		return ExitOK
	}
	var code exitError
	if errors.As(err, &code) {
		return int(code)
	}
	e, usage := explain(cmd, err)
	e.Hint = sh.reaching(e.Hint)
	if asJSON {
		sh.failJSON(e)
		return e.Exit
	}
	sh.complain(e.Detail, e.Hint)
	if usage {
		sh.tell("  usage: ", e.Usage)
	}
	return e.Exit
}

// failure is an error as programs read it: with the codes of the API.
type failure struct {
	Code   core.Code `json:"code"`
	Detail string    `json:"detail"`
	Hint   string    `json:"hint,omitempty"`
	Usage  string    `json:"usage,omitempty"`
	Exit   int       `json:"exit"`
}

// explain says what went wrong, and whether the command line did.
func explain(cmd *cobra.Command, err error) (failure, bool) {
	var ran ranError
	var usage usageError
	if !errors.As(err, &usage) && !errors.As(err, &ran) {
		err = combined(cmd, err)
	}
	switch {
	case errors.As(err, &usage) || !errors.As(err, &ran):
		return failure{core.CodeInvalid, err.Error(), wording.Hint(err), cmd.UseLine(), ExitUsage}, true
	case errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled):
		return failure{Code: core.CodeUnavailable, Detail: "interrupted", Exit: ExitError}, false
	}
	return failure{Code: core.CodeOf(err), Detail: err.Error(), Hint: wording.Hint(err), Exit: ExitError}, false
}

// failJSON writes an error for programs: one line, the last on standard error, so
// that standard output holds answers only.
func (p Program) failJSON(f failure) {
	line, err := json.Marshal(f)
	if err != nil {
		p.complain(f.Detail, f.Hint)
		return
	}
	fmt.Fprintf(p.Console.Err, "%s\n", terminal.JSON(line))
}

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
