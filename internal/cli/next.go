package cli

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

// nextWait is how long a command of a session waits for what comes next: short
// checks are over by then.
const nextWait = 20 * time.Second

// whatNext prints what a session is to do now that it has steered a run.
func (sh *shell) whatNext(ctx context.Context, svc api.Service, session string, run api.Run) error {
	turn, err := svc.Turn(ctx, session, api.TurnQuery{Wait: nextWait, Peek: true})
	if err != nil {
		return err
	}
	if turn.Run == nil || turn.Run.ID != run.ID {
		if sh.json {
			return sh.printJSON(run)
		}
		sh.printLines(sh.view().Runs([]api.Run{run}))
		return nil
	}
	if sh.json {
		return sh.printJSON(turn)
	}
	text, err := relay.NextText(turn)
	if err != nil {
		return err
	}
	sh.printf("%s\n", terminal.Text(text))
	return nil
}
