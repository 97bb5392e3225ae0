package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type factsOptions struct{ history bool }

func NewFacts(sh *shell.Shell) *cobra.Command {
	o := &factsOptions{}
	cmd := &cobra.Command{
		Use:   "facts [RUN] [flags]",
		Short: "Show the facts of a run in waves, and their sources",
		Long: `Lists the facts of a run in waves: how certain each is, whether it was found,
decided, answered or assumed, and its sources. A fact that rests on one that no
longer holds says so.

--history also lists facts that no longer hold, and what replaced them.
--json prints {"facts": […]}.`,
		Example: `  stellwerk facts
  stellwerk facts brisk-otter --history
  stellwerk facts --json | jq -r '.facts[] | select(.is_assumption) | .content'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().BoolVar(&o.history, "history", false, "also list facts that no longer hold")
	return cmd
}

func (o *factsOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		facts, err := svc.Facts(ctx, id, o.history)
		if err != nil {
			return err
		}
		return sh.PrintList(api.FactList{Facts: append([]core.Fact{}, facts...)}, sh.View().Facts(facts),
			"No facts yet. Workers report them, and people answer questions with them.")
	})
}
