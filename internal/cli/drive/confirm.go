package drive

import (
	"context"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// ConfirmUnnamed asks a person at a terminal who did not name the run whether they
// mean the one that was found, of which the alias is known. Scripts and sessions
// are not asked, and nobody is about a run that is over: the engine refuses that.
func ConfirmUnnamed(ctx context.Context, sh *shell.Shell, run api.Run, question string) error {
	if run.Alias == "" || run.Status.Terminal() || !sh.Console.Ask || sh.JSON || sh.SessionHere() != "" {
		return nil
	}
	yes, err := sh.Confirm(ctx, fmt.Sprintf(question, terminal.Line(run.Alias), terminal.Line(run.Stage)))
	if err == nil && !yes {
		sh.Printf("Nothing was done.\n")
		err = shell.Exit(shell.ExitError)
	}
	return err
}
