package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// sessionVariable is where Claude Code names the session to the commands it runs.
const sessionVariable = "CLAUDE_CODE_SESSION_ID"

// session is the interactive session that runs this command; none where a
// person does. What is said from there is said by the session.
func (sh *shell) session() string {
	if name := sh.Env(sessionVariable); snapshot.IsSession(name) {
		return name
	}
	return ""
}

// speaking marks what is asked with ctx as asked by the session.
func (sh *shell) speaking(ctx context.Context) context.Context {
	if session := sh.session(); session != "" {
		return api.AsSession(ctx, session)
	}
	return ctx
}

// locked reports a shell that is kept from pushing. An engine that inherits that
// could not publish, so none is started from there; the session's hooks do it.
func (sh *shell) locked(state string) bool {
	return strings.HasPrefix(sh.Env("PATH"), filepath.Join(relay.LockDir(state), "bin")+":")
}

// sessionHere is the session, where the engine is on its machine: hooks tell that
// one what the session does.
func (sh *shell) sessionHere() string {
	if sh.isElsewhere() {
		return ""
	}
	return sh.session()
}

// owned is the run of the session that runs this command; none elsewhere.
func (sh *shell) owned(ctx context.Context, svc api.Service) (string, error) {
	session := sh.sessionHere()
	if session == "" {
		return "", nil
	}
	turn, err := svc.Turn(ctx, session, api.TurnQuery{Peek: true})
	if err != nil || turn.Run == nil {
		return "", err
	}
	return turn.Run.ID, nil
}

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

// begun tells a session that its run has begun. The hook at the end of its turn
// says what to start.
func (sh *shell) begun(run api.Run) error {
	if sh.json {
		return sh.printJSON(run)
	}
	sh.printf("Run %s has started on branch %s. End your turn now with one short sentence; then you hear which agents to start.\n",
		terminal.Line(run.Alias), terminal.Line(run.Branch))
	return nil
}

// startSettled forgets that a session was asked to begin a run where that is
// done, or is for the person to settle.
func (sh *shell) startSettled(session string, outcome error) error {
	switch core.CodeOf(outcome) {
	case core.CodeConflict, core.CodeUntrusted, core.CodeForbidden:
	default:
		if outcome != nil {
			return outcome
		}
	}
	opts, err := sh.options()
	if err != nil {
		return errors.Join(outcome, err)
	}
	return errors.Join(outcome, relay.ForgetStart(opts.State, session))
}

// personsOwn refuses what only a person may say, at their own terminal.
func (sh *shell) personsOwn(what string) error {
	if err := sh.personal(what); err != nil {
		return err
	}
	if session := sh.session(); session != "" {
		return core.Errorf(core.CodeForbidden, "%s is for people only, and this is session %s", what, session).
			WithHint("ask the person to do it in their own terminal")
	}
	return nil
}
