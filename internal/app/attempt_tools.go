package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

// openTools makes what attempts reach the engine by: the folder they are shown,
// with the scripts in it, and the key of their tokens, which they are not shown.
func (a *App) openTools() (dispatch.Tools, error) {
	folder, err := a.state.toolFolder()
	if err != nil {
		return dispatch.Tools{}, err
	}
	if err := tool.InstallScripts(folder); err != nil {
		return dispatch.Tools{}, core.Wrap(core.CodeUnavailable, err, "the tools of agents cannot be laid out", "check that "+folder+" can be written")
	}
	if a.tokens, err = api.OpenAttemptTokens(a.state.toolKeyFile()); err != nil {
		return dispatch.Tools{}, err
	}
	return dispatch.Tools{Folder: folder, Socket: filepath.Join(folder, toolSocket), Token: a.tokens.Issue}, nil
}

// listenTools opens the socket of the attempts' tools.
func (a *App) listenTools() (net.Listener, http.Handler, error) {
	folder, err := a.state.toolFolder()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	listener, err := a.listenAt(filepath.Join(folder, toolSocket))
	if err != nil {
		return nil, nil, err
	}
	return newQueue(listener, toolConnections), api.ToolHandler(a, a.tokens, a.opts.Version), nil
}

// clean removes secrets from what a caller says; the token of an attempt that
// calls is one of them.
func (a *App) clean(ctx context.Context, run *core.Run, text string) string {
	caller := CallerOf(ctx)
	if caller.Kind != core.ActorAgent {
		return a.redactor.String(text)
	}
	own := redact.Secret{Name: agent.EnvToken, Value: a.tokens.Issue(run.ID, caller.ID)}
	secrets := append(engineSecrets(), present(run.Playbook.Secrets())...)
	return redact.New(redact.Options{Secrets: append(secrets, own), Rules: a.rules}).String(text)
}

// literal refuses a call with a secret in words that cannot be changed: a name or a
// command without it would be another.
func (a *App) literal(ctx context.Context, run *core.Run, tool core.Tool, words ...string) error {
	all := strings.Join(words, "\n")
	if a.clean(ctx, run, all) == all {
		return nil
	}
	err := core.Errorf(core.CodeInvalid, "a name or a command holds what looks like a secret, which would be kept").
		WithHint("put a command into a script of the repository, and let it read the secret where it is")
	return errors.Join(err, a.refuse(ctx, run, tool, err))
}

// under refuses an attempt that is over. What changes something is refused to it
// by the law; this is for what only looks.
func under(ctx context.Context, run *core.Run) error {
	caller := CallerOf(ctx)
	if caller.Kind != core.ActorAgent {
		return nil
	}
	if _, _, a := run.Attempt(caller.ID); a == nil || !a.Status.Active() || run.Status.Terminal() {
		return core.Errorf(core.CodeForbidden, "attempt %s is over", caller.ID)
	}
	return nil
}

// toolPatience is how long a call of a tool waits for an engine that is being
// started anew.
const toolPatience = 30 * time.Second

// DialTools are the tools of an attempt. Each call finds the engine of its
// moment: an attempt outlives the one that started it.
func DialTools(_ context.Context, socket, token string) (api.Tools, func() error, error) {
	c := client.New(socket, token)
	return tool.Patient(c, toolPatience), c.Close, nil
}
