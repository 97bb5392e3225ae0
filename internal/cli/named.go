package cli

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// errNotConfirmed ends a command that the person thought better of.
const errNotConfirmed = exitError(ExitError)

// named asks a person at a terminal who has not named the run whether the one that
// was found is meant, before a word that cannot be taken back. Scripts say it in a
// repository with one open run, and are not asked.
func (sh *shell) named(ctx context.Context, svc api.Service, given, id, question string) error {
	if given != "" || !sh.Console.Ask || sh.json || sh.sessionHere() != "" {
		return nil
	}
	d, err := svc.Run(ctx, id)
	if err != nil {
		return err
	}
	yes, err := sh.confirm(ctx, fmt.Sprintf(question, terminal.Line(d.Alias), terminal.Line(d.Stage)))
	if err != nil {
		return err
	}
	if !yes {
		sh.printf("Nothing was done.\n")
		return errNotConfirmed
	}
	return nil
}
