package toolcall

import (
	"context"
	"errors"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// clean removes secrets from what a caller says; the token of an attempt that
// calls is one of them.
func (a *Tools) clean(ctx context.Context, run *core.Run, text string) string {
	caller := api.CallerFrom(ctx).Actor
	if caller.Kind != core.ActorAgent {
		return a.redactor.String(text)
	}
	own := redact.Secret{Name: agent.EnvToken, Value: a.token(run.ID, caller.ID)}
	return a.redactorOf(run.Playbook.Secrets(), own).String(text)
}

// literal refuses a call with a secret in words that cannot be changed: a name or a
// command without it would be another.
func (a *Tools) literal(ctx context.Context, run *core.Run, tool core.Tool, words ...string) error {
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
	caller := api.CallerFrom(ctx).Actor
	if caller.Kind != core.ActorAgent {
		return nil
	}
	if _, _, a := run.Attempt(caller.ID); a == nil || !a.Status.Active() || run.Status.Terminal() {
		return core.Errorf(core.CodeForbidden, "attempt %s is over", caller.ID)
	}
	return nil
}
