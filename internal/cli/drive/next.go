package drive

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

// nextWait is how long a session's command waits for the next thing to do: short
// checks end within it.
const nextWait = 20 * time.Second

// TellNext prints what a session must do after it steered a run.
func TellNext(ctx context.Context, sh *shell.Shell, svc api.Service, session string, run api.Run) error {
	turn, err := svc.Turn(ctx, session, api.TurnQuery{Wait: nextWait, Peek: true})
	if err != nil {
		return err
	}
	if turn.Run == nil || turn.Run.ID != run.ID {
		return sh.Print(run, sh.View().Runs([]api.Run{run})...)
	}
	text, err := relay.NextText(turn)
	if err != nil {
		return err
	}
	return sh.Print(turn, terminal.Text(text))
}
