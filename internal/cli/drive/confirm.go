package drive

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// errNotConfirmed ends a command that the person thought better of.
const errNotConfirmed = shell.Status(shell.ExitError)

// ConfirmUnnamed asks a person at a terminal who has not named the run whether the one that
// was found is meant, before a word that cannot be taken back. Scripts say it in a
// repository with one open run, and are not asked.
func ConfirmUnnamed(ctx context.Context, sh *shell.Shell, svc api.Service, given, id, question string) error {
	if given != "" || !sh.Console.Ask || sh.JSON || sh.SessionHere() != "" {
		return nil
	}
	d, err := svc.Run(ctx, id)
	if err != nil {
		return err
	}
	yes, err := sh.Confirm(ctx, fmt.Sprintf(question, terminal.Line(d.Alias), terminal.Line(d.Stage)))
	if err != nil {
		return err
	}
	if !yes {
		sh.Printf("Nothing was done.\n")
		return errNotConfirmed
	}
	return nil
}
