package project

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newQueue(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "queue [PROJECT]",
		Short: "List the epics that wait for their turn",
		Long: `Lists the goals that wait for the project's current run to end, next one first,
and those that could not start, with the reason. A running engine starts the
next one by itself: ` + "`stellwerk serve`" + ` keeps one running.`,
		Example: `  stellwerk projects queue
  stellwerk projects queue shop --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return queue(cmd.Context(), sh, shell.First(args)) },
	}
}

func queue(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		id, err := Find(ctx, sh, svc, given)
		if err != nil {
			return err
		}
		d, err := svc.Project(ctx, id)
		if err != nil {
			return err
		}
		queue := map[string][]api.Epic{"queue": append([]api.Epic{}, d.Queue...)}
		return sh.PrintList(queue, sh.View().Queue(d.Queue), fmt.Sprintf("The queue of %s is empty.", d.Name))
	})
}
