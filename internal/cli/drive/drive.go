// Package drive gives a person's word about a run to the engine, follows the run
// until it ends or needs a person, and asks the person at its gates. It has no
// command of its own.
package drive

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// MaxHandovers bounds how often a command looks for another engine after one of
// another command has ended.
const MaxHandovers = 8

// Run follows a run, asks a person at the terminal at its gates, and ends with
// the exit code of the run's status. If the engine lived in another command
// that ended, this one continues with the next engine, or becomes it.
func Run(ctx context.Context, sh *shell.Shell, svc api.Service, run api.Run, after int64) error {
	return driveOn(ctx, sh, svc, run, after, MaxHandovers)
}

func driveOn(ctx context.Context, sh *shell.Shell, svc api.Service, run api.Run, after int64, handovers int) error {
	seen, err := driveWith(ctx, sh, svc, run, after)
	if core.CodeOf(err) != core.CodeUnavailable || handovers == 0 {
		return err
	}
	return sh.Connect(ctx, func(svc api.Service) error { return driveOn(ctx, sh, svc, run, seen, handovers-1) })
}

// driveWith is Run with one engine. It returns the sequence number of the last
// event shown.
func driveWith(ctx context.Context, sh *shell.Shell, svc api.Service, run api.Run, after int64) (int64, error) {
	for {
		detail, seen, err := follow(ctx, sh, svc, run.ID, after)
		asked := err == nil && asksHere(sh, detail)
		var answered *api.Run
		if asked {
			answered, err = askAtGate(ctx, sh, svc, detail)
		}
		switch {
		case errors.Is(err, shell.ErrInterrupted):
			return seen, Leave(sh, svc, run)
		case err != nil:
			return seen, err
		case !asked:
			return seen, finish(ctx, sh, svc, detail)
		case answered == nil:
			sh.PrintText("Nothing decided. Next: ", sh.WithFlags(detail.Next))
			return seen, shell.Exit(shell.ExitWaiting)
		}
		run, after = *answered, detail.Seq
	}
}

// asksHere reports a gate with a person in front of it.
func asksHere(sh *shell.Shell, d api.RunDetail) bool {
	return sh.Console.Ask && !sh.JSON && sh.Attempt == "" &&
		d.Status == core.StatusAwaiting && d.Gate != nil
}

// finish prints the run, what to type next and what else waits.
func finish(ctx context.Context, sh *shell.Shell, svc api.Service, d api.RunDetail) error {
	if err := sh.Print(d, sh.View().Run(d)...); err != nil {
		return err
	}
	if err := tellQueue(ctx, sh, svc, d.Run); err != nil {
		return err
	}
	return shell.Exit(shell.ExitByStatus(d.Status))
}

// Leave prints how a run that was left goes on, and ends with its exit code.
func Leave(sh *shell.Shell, svc api.Service, run api.Run) error {
	TellLeft(sh, svc, run)
	return shell.Exit(shell.ExitWaiting)
}

// TellLeft prints how a run that was left goes on.
func TellLeft(sh *shell.Shell, svc api.Service, run api.Run) {
	alias := terminal.Line(run.Alias)
	if sh.EngineEnds(svc) {
		sh.Printf("Left %s. Running agents finish; nothing is lost.\n", alias)
		sh.Printf("  go on: %s\n  end it: %s\n", sh.Command("watch "+alias), sh.Command("cancel "+alias))
	} else {
		sh.Printf("Left %s. It goes on in the background.\n", alias)
		sh.Printf("  look again: %s\n  stop it: %s\n", sh.Command("watch "+alias), sh.Command("pause "+alias))
	}
}

// After is what a command does after it gave the person's word.
type After struct {
	Follow bool
	Detach bool
	// Anew is for a word that brings a run along: the state folder need not exist.
	Anew bool
}

func (a *After) Flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.Follow, "follow", "f", false, "follow the run until it ends or needs you again")
	cmd.Flags().BoolVarP(&a.Detach, "detach", "d", false, "leave the run to an engine in the background")
	cmd.MarkFlagsMutuallyExclusive("follow", "detach")
}

// AfterHelp is the paragraph of a command's help that explains it.
const AfterHelp = `

If an engine runs in the background, the command returns at once. If not, it
drives the run itself until the run ends or needs you again; --detach starts an
engine in the background instead.`

// Word says something about a run to the engine. The run is as shell.Find found it.
type Word func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error)

// Steer gives a person's word about a run, and continues the run.
func Steer(ctx context.Context, sh *shell.Shell, given string, a After, w Word) error {
	var state []func(*shell.ConnectOptions)
	if a.Anew {
		state = append(state, shell.Anew)
	}
	if a.Detach || sh.Session != "" {
		if err := sh.EnsureEngine(ctx, state...); err != nil {
			return err
		}
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		run, err := sh.Find(ctx, svc, given)
		if err != nil {
			return err
		}
		if run, err = w(ctx, svc, run); err != nil {
			return err
		}
		return Continue(ctx, sh, svc, run, a)
	}, state...)
}

// Continue follows the run if asked to, or if nobody else would drive it, and
// otherwise prints its status.
func Continue(ctx context.Context, sh *shell.Shell, svc api.Service, run api.Run, a After) error {
	if session := sh.SessionHere(); session != "" && !a.Follow {
		return TellNext(ctx, sh, svc, session, run)
	}
	if a.Follow || sh.EngineEnds(svc) && !a.Detach {
		return Run(ctx, sh, svc, run, run.Seq)
	}
	return sh.Print(run, sh.View().Runs([]api.Run{run})...)
}
