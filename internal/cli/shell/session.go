package shell

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// SessionVariable is where Claude Code names the session to the commands it runs.
const SessionVariable = "CLAUDE_CODE_SESSION_ID"

// Session is the interactive session that runs this command; none where a
// person does. What is said from there is said by the session.
func (sh *Shell) Session() string {
	if name := sh.Env(SessionVariable); snapshot.IsSession(name) {
		return name
	}
	return ""
}

// AsSession marks what is asked with ctx as asked by the session.
func (sh *Shell) AsSession(ctx context.Context) context.Context {
	if session := sh.Session(); session != "" {
		return api.AsSession(ctx, session)
	}
	return ctx
}

// pushLocked reports a shell that is kept from pushing. An engine that inherits that
// could not publish, so none is started from there; the session's hooks do it.
func (sh *Shell) pushLocked(state string) bool {
	return strings.HasPrefix(sh.Env("PATH"), filepath.Join(relay.LockDir(state), "bin")+":")
}

// SessionHere is the session, where the engine is on its machine: hooks tell that
// one what the session does.
func (sh *Shell) SessionHere() string {
	if sh.IsElsewhere() {
		return ""
	}
	return sh.Session()
}

// owned is the run of the session that runs this command; none elsewhere.
func (sh *Shell) owned(ctx context.Context, svc api.Service) (string, error) {
	session := sh.SessionHere()
	if session == "" {
		return "", nil
	}
	turn, err := svc.Turn(ctx, session, api.TurnQuery{Peek: true})
	if err != nil || turn.Run == nil {
		return "", err
	}
	return turn.Run.ID, nil
}

// AtTerminal refuses what only a person may say, at their own terminal.
func (sh *Shell) AtTerminal(what string) error {
	if err := sh.ForPeople(what); err != nil {
		return err
	}
	if session := sh.Session(); session != "" {
		return core.Errorf(core.CodeForbidden, "%s is for people only, and this is session %s", what, session).
			WithHint("ask the person to do it in their own terminal")
	}
	return nil
}
