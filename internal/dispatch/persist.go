package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Forges finds the forge that a run is published on. A failure is for a person:
// a token that is missing, settings that say something else by now.
type Forges interface {
	Forge(run *core.Run) (forge.Forge, error)
}

// persistence is how long publishing waits for a forge or remote that does not
// answer, or wants to be left alone, before a person is told.
const persistence = 10 * time.Minute

// transient reports a failure beyond this machine that may pass by itself, and
// how long to wait at least.
func transient(run *core.Run, err error) (after time.Duration, ok bool) {
	if after, ok := forge.Retry(err); ok {
		return after, true
	}
	return 0, run.Distant() && errors.Is(err, yard.ErrUnreachable) && !errors.Is(err, yard.ErrNoRepository)
}

// persist does something until it succeeds, fails for good or persistence has passed.
func (d *Dispatcher) persist(ctx context.Context, run *core.Run, do func() error) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 500*time.Millisecond, time.Minute
	for deadline := time.Now().Add(persistence); ; {
		err := do()
		if err == nil || ctx.Err() != nil {
			return err
		}
		after, ok := transient(run, err)
		after = max(after, wait.NextBackOff())
		if !ok || time.Now().Add(after).After(deadline) {
			return err
		}
		d.Log.Warn("a forge or remote failed, it is asked again", "run", run.Alias, "in", after, "error", d.redactor(run).String(err.Error()))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(after):
		}
	}
}

func (d *Dispatcher) remoteTip(ctx context.Context, run *core.Run, y *yard.Yard, ref string) (tip string, err error) {
	err = d.persist(ctx, run, func() error {
		tip, err = y.RemoteTip(ctx, run.Remote, ref)
		return err
	})
	return tip, err
}

// trouble says what failed, and what a person can do about it.
func (d *Dispatcher) trouble(run *core.Run, err error) string {
	text := d.redactor(run).String(err.Error())
	if advice := advise(run, err); advice != "" {
		text += "; " + advice
	}
	return text
}

func advise(run *core.Run, err error) string {
	_, passes := transient(run, err)
	switch {
	case errors.Is(err, forge.ErrToken), errors.Is(err, forge.ErrNoToken), errors.Is(err, forge.ErrTokenFile):
		return "put a token that is valid where the settings forge_token_env or forge_token_file name it"
	case errors.Is(err, forge.ErrForbidden):
		return "give the token the permissions that it needs, or use one that has them: " + plain.Manual("forges.md")
	case errors.Is(err, forge.ErrNotFound):
		return "check that " + run.Repository + " exists on " + run.ForgeURL + " and that the token may see it"
	case errors.Is(err, yard.ErrNoRepository):
		return "check the address of the remote, and that the token or key may see it"
	case errors.Is(err, yard.ErrAuth):
		return "check the token (forge_token_env, forge_token_file) or, for ssh, the key"
	case passes:
		return "check that it is up"
	}
	return ""
}
