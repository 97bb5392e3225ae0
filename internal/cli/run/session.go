package run

import (
	"context"
	"errors"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

// tellBegun tells a session that its run has started. The hook at the end of its
// turn says which agents to start.
func tellBegun(sh *shell.Shell, run api.Run) error {
	if sh.JSON {
		return sh.PrintJSON(run)
	}
	sh.Printf("Run %s has started on branch %s. End your turn now with one short sentence; then you hear which agents to start.\n",
		terminal.Line(run.Alias), terminal.Line(run.Branch))
	return nil
}

// startSettled forgets that a session was asked to start a run if that is done, or
// if the person must settle it.
func startSettled(sh *shell.Shell, session string, outcome error) error {
	switch core.CodeOf(outcome) {
	case core.CodeConflict, core.CodeUntrusted, core.CodeForbidden:
	default:
		if outcome != nil {
			return outcome
		}
	}
	opts, err := sh.Options()
	if err != nil {
		return errors.Join(outcome, err)
	}
	return errors.Join(outcome, relay.ForgetStart(opts.State, session))
}

// runInSession starts a run whose agents an interactive session starts. Its hooks
// say which, so the command ends at once.
func (o *runOptions) runInSession(ctx context.Context, sh *shell.Shell) error {
	if err := sh.EnsureEngine(ctx, shell.Anew); err != nil {
		return err
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		run, err := o.start(ctx, sh, svc)
		if err := startSettled(sh, o.req.Session, err); err != nil {
			return err
		}
		sh.Warn(slices.Concat(run.Warnings, run.Notes))
		return tellBegun(sh, run)
	}, shell.Anew)
}
