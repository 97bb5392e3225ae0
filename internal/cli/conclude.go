package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// ranError marks an error of a command that was understood; all others come
// from reading the command line.
type ranError struct{ error }

func (e ranError) Unwrap() error { return e.error }

// conclude prints an error and returns the exit code.
func conclude(sh *shell.Shell, cmd *cobra.Command, err error, asJSON bool) int {
	if err == nil {
		return shell.ExitOK
	}
	var code shell.Status
	if errors.As(err, &code) {
		return int(code)
	}
	e := explain(cmd, err)
	e.Hint = sh.WithFlags(e.Hint)
	if asJSON {
		line, err := json.Marshal(e)
		if err == nil { // the last line on standard error: standard output holds answers only
			fmt.Fprintf(sh.Console.Err, "%s\n", terminal.JSON(line))
			return e.Exit
		}
	}
	sh.Complain(e.Detail, e.Hint)
	if e.Usage != "" {
		sh.Tell("  usage: ", e.Usage)
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

// explain says what went wrong, and the usage if the command line did.
func explain(cmd *cobra.Command, err error) failure {
	var ran ranError
	var usage shell.UsageError
	if !errors.As(err, &usage) && !errors.As(err, &ran) {
		err = combined(cmd, err)
	}
	switch {
	case errors.As(err, &usage) || !errors.As(err, &ran):
		return failure{core.CodeInvalid, err.Error(), wording.Hint(err), cmd.UseLine(), shell.ExitUsage}
	case errors.Is(err, shell.ErrInterrupted) || errors.Is(err, context.Canceled):
		return failure{Code: core.CodeUnavailable, Detail: "interrupted", Exit: shell.ExitError}
	}
	return failure{Code: core.CodeOf(err), Detail: err.Error(), Hint: wording.Hint(err), Exit: shell.ExitError}
}
