package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjectsQueue(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "queue [PROJECT]",
		Short: "List the epics that wait for their turn",
		Long: `Lists the goals that wait for the project's current run to end, next one first,
and those that could not start, with the reason. A running engine starts the
next one by itself: ` + "`stellwerk serve`" + ` keeps one running.`,
		Example: `  stellwerk projects queue
  stellwerk projects queue shop --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProjects(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return projectsQueue(cmd.Context(), sh, first(args)) },
	}
}

func projectsQueue(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.findProject(ctx, svc, given)
		if err != nil {
			return err
		}
		d, err := svc.Project(ctx, id)
		if err != nil {
			return err
		}
		if sh.json {
			return sh.printJSON(struct {
				Queue []api.Epic `json:"queue"`
			}{append([]api.Epic{}, d.Queue...)})
		}
		if len(d.Queue) == 0 {
			sh.printf("The queue of %s is empty.\n", d.Name)
			return nil
		}
		sh.printLines(sh.view().Queue(d.Queue))
		return nil
	})
}
