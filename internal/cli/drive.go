package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxHandovers bounds how often a command looks for another engine: those that
// end are other commands, and there are only so many terminals.
const maxHandovers = 8

// drive follows a run, asks the person at its gates where one sits there, and
// ends with the exit code of how the run stands. An engine that lived in another
// command may end before; then this one goes on with the next, or is it.
func (sh *shell) drive(ctx context.Context, svc api.Service, run api.Run, after int64) error {
	return sh.driveOn(ctx, svc, run, after, maxHandovers)
}

func (sh *shell) driveOn(ctx context.Context, svc api.Service, run api.Run, after int64, handovers int) error {
	seen, err := sh.through(ctx, svc, run, after)
	if core.CodeOf(err) != core.CodeUnavailable || handovers == 0 {
		return err
	}
	return sh.connect(ctx, func(svc api.Service) error { return sh.driveOn(ctx, svc, run, seen, handovers-1) })
}

// through drives a run with one engine and returns the sequence number up to
// which its events were shown.
func (sh *shell) through(ctx context.Context, svc api.Service, run api.Run, after int64) (int64, error) {
	for {
		detail, seen, err := sh.follow(ctx, svc, run.ID, after)
		asked := err == nil && sh.asks(detail)
		var answered *api.Run
		if asked {
			answered, err = sh.ask(ctx, svc, detail)
		}
		switch {
		case errors.Is(err, errInterrupted):
			return seen, sh.leave(svc, run)
		case err != nil:
			return seen, err
		case !asked:
			return seen, sh.finished(ctx, svc, detail)
		case answered == nil:
			sh.printText("Nothing decided. Next: ", sh.reaching(detail.Next))
			return seen, exitWith(ExitWaiting)
		}
		run, after = *answered, detail.Seq
	}
}

// asks reports a gate and a person in front of it.
func (sh *shell) asks(d api.RunDetail) bool {
	return sh.Console.Ask && !sh.json && sh.personal("") == nil &&
		d.Status == core.StatusAwaiting && d.Gate != nil
}

// finished is finish, and what else waits.
func (sh *shell) finished(ctx context.Context, svc api.Service, d api.RunDetail) error {
	ended := sh.finish(d)
	if err := sh.others(ctx, svc, d.Run); err != nil {
		return err
	}
	return ended
}

// finish says how the run stands and what to type next.
func (sh *shell) finish(d api.RunDetail) error {
	if sh.json {
		if err := sh.printJSON(d); err != nil {
			return err
		}
		return exitWith(exitByStatus(d.Status))
	}
	sh.printLines(sh.view().Run(d))
	return exitWith(exitByStatus(d.Status))
}

// leave says how a run that was left goes on, and ends with its exit code.
func (sh *shell) leave(svc api.Service, run api.Run) error {
	sh.left(svc, run)
	return exitWith(ExitWaiting)
}

// left says how a run that was left goes on.
func (sh *shell) left(svc api.Service, run api.Run) {
	alias := terminal.Line(run.Alias)
	if sh.ours(svc) {
		sh.printf("Left %s. Running agents finish; nothing is lost.\n", alias)
		sh.printf("  go on: %s\n  end it: %s\n", sh.command("watch "+alias), sh.command("cancel "+alias))
	} else {
		sh.printf("Left %s. It goes on in the background.\n", alias)
		sh.printf("  look again: %s\n  stop it: %s\n", sh.command("watch "+alias), sh.command("pause "+alias))
	}
}

// after is what a command does once the person's word is given.
type after struct {
	follow bool
	detach bool
}

func (a *after) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.follow, "follow", "f", false, "follow the run until it ends or needs you again")
	cmd.Flags().BoolVarP(&a.detach, "detach", "d", false, "leave the run to an engine in the background")
	cmd.MarkFlagsMutuallyExclusive("follow", "detach")
}

// afterHelp is the paragraph that explains it.
const afterHelp = `

If an engine runs in the background, the command returns at once. If not, it
drives the run itself until the run ends or needs you again; --detach starts an
engine in the background instead.`

// word is what a person says about a run.
type word func(svc api.Service, id string) (api.Run, error)

// say gives a person's word about a run and sees to it that the run goes on.
func (sh *shell) say(ctx context.Context, what, given string, a after, w word) error {
	if err := sh.personal(what); err != nil {
		return err
	}
	if a.detach || sh.session() != "" {
		if err := sh.detached(ctx); err != nil {
			return err
		}
	}
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.find(ctx, svc, given)
		if err != nil {
			return err
		}
		run, err := w(svc, id)
		if err != nil {
			return err
		}
		return sh.goOn(ctx, svc, run, a)
	})
}

// goOn follows the run where asked to, or where nobody else would drive it.
func (sh *shell) goOn(ctx context.Context, svc api.Service, run api.Run, a after) error {
	if session := sh.sessionHere(); session != "" && !a.follow {
		return sh.whatNext(ctx, svc, session, run)
	}
	if a.follow || sh.ours(svc) && !a.detach {
		return sh.drive(ctx, svc, run, run.Seq)
	}
	if sh.json {
		return sh.printJSON(run)
	}
	sh.printLines(sh.view().Runs([]api.Run{run}))
	return nil
}
