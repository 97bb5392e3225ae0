package toolcall

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// clean removes secrets from a caller's text, including the token of the attempt that calls.
func (a *Tools) clean(ctx context.Context, run *core.Run, text string) string {
	caller := api.CallerFrom(ctx).Actor
	if caller.Kind != core.ActorAgent {
		return a.Redactor.String(text)
	}
	own := redact.Secret{Name: agent.EnvToken, Value: a.Token(run.ID, caller.ID)}
	return a.Secrets(run.Playbook.Secrets(), own).String(text)
}

// literal refuses a call with a secret in a name or a command: without the secret it would be another one.
func (a *Tools) literal(ctx context.Context, run *core.Run, tool core.Tool, words ...string) error {
	all := strings.Join(words, "\n")
	if a.clean(ctx, run, all) == all {
		return nil
	}
	err := core.Errorf(core.CodeInvalid, "a name or a command contains what looks like a secret, and it would be stored").
		WithHint("put the command into a script of the repository that reads the secret where it is kept")
	return a.refuse(ctx, run, tool, err)
}

// under refuses reads to an attempt that is over. The law refuses it changes.
func under(ctx context.Context, run *core.Run) error {
	caller := api.CallerFrom(ctx).Actor
	if caller.Kind != core.ActorAgent {
		return nil
	}
	if _, _, a := run.Attempt(caller.ID); a == nil || !a.Status.Active() || run.Status.Terminal() {
		return core.Errorf(core.CodeForbidden, "attempt %s is over", caller.ID)
	}
	return nil
}
