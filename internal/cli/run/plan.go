package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

type planOptions struct{ dot bool }

func NewPlan(sh *shell.Shell) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan [RUN] [flags]",
		Short: "Draw a run's work: order and state",
		Long: `Draws the work of a run: for a run in waves its delegations, wave by wave; for a
run that drives a project the steps of its plan; otherwise the phases in order.
Each piece stands below one that it waits for; an arrow names the others.

--dot prints the same as a Graphviz graph. --json prints run, kind, wave and
pieces, each with id, status, after and more.`,
		Example: `  stellwerk plan
  stellwerk plan brisk-otter
  stellwerk plan --dot | dot -Tsvg > plan.svg`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().BoolVar(&o.dot, "dot", false, "print a graph for Graphviz")
	return cmd
}

func (o *planOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	if o.dot && sh.JSON {
		return shell.Usagef("--dot and --json: choose one")
	}
	return sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		outline, err := svc.Outline(ctx, id)
		if err != nil {
			return err
		}
		outline.Pieces = append([]api.Piece{}, outline.Pieces...)
		if o.dot {
			return sh.Print(nil, view.Dot(outline)...)
		}
		return sh.Print(outline, sh.View().Outline(outline)...)
	})
}
