package run

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func NewMerge(sh *shell.Shell) *cobra.Command {
	var a drive.After
	forward := false
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "merge [RUN] [flags]",
		Short:       "Merge a run's local pull request into its base",
		Long: `Merges the run's branch into its base, if its pull request is in a repository on
this machine. Stellwerk touches your working files only if you say so: with
--fast-forward, or if you agree at the terminal, your own git fast-forwards a
base that is checked out. That needs a work tree without uncommitted changes and
a base that has not moved; otherwise the command prints what to type instead.` + drive.AfterHelp,
		Example: `  stellwerk merge
  stellwerk merge brisk-otter
  stellwerk merge brisk-otter --fast-forward`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return merge(cmd.Context(), sh, shell.First(args), forward, a)
		},
	}
	cmd.Flags().BoolVar(&forward, "fast-forward", false, "also fast-forward a checked-out base, if its work tree is clean")
	a.Flags(cmd)
	return cmd
}

// tellByHand prints why the person must merge themselves, and the command, which is
// never wrapped, so that they can paste it.
func tellByHand(sh *shell.Shell, m api.Mergeable) error {
	where := ""
	if sh.Server != "" {
		where = ", on the engine's machine"
	}
	sh.Complain(fmt.Sprintf("cannot merge %s here: %s", m.Branch, m.Reason), m.Next+where+":")
	fmt.Fprintf(sh.Console.Err, "  %s\n", terminal.Line(m.Command))
	return shell.Exit(shell.ExitError)
}

func merge(ctx context.Context, sh *shell.Shell, given string, forward bool, a drive.After) error {
	return drive.Steer(ctx, sh, given, a, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
		m, err := svc.Mergeable(ctx, run.ID)
		if err != nil {
			return api.Run{}, err
		}
		if m.Tree != "" && !m.Merged {
			if forward, err = mayForward(ctx, sh, m, forward); err != nil {
				return api.Run{}, err
			}
			if forward {
				if err := fastForward(ctx, svc, run.ID, m); err != nil {
					return api.Run{}, err
				}
				m.Tip, m.Can = m.Commit, true
			}
		}
		if !m.Can && !m.Merged && m.Command != "" && !sh.JSON {
			return api.Run{}, tellByHand(sh, m)
		}
		run, err = svc.Merge(ctx, run.ID, api.Merge{Commit: m.Commit, Tip: m.Tip})
		if err == nil && !sh.JSON {
			sh.PrintText("Merged: ", fmt.Sprintf("%s (%.10s) into %s", m.Branch, m.Commit, m.Base))
		}
		return run, err
	})
}
