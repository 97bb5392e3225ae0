package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjectsShow(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show [PROJECT]",
		Short: "Show a project: its run, queue and cost",
		Long: `Shows the state of a project: the run that drives it, the epics in its queue,
its tasks by status, cost, tokens, limits, pull request, and last activity.`,
		Example: `  stellwerk projects show
  stellwerk projects show shop --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProjects(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return projectsShow(cmd.Context(), sh, first(args)) },
	}
}

func projectsShow(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.findProject(ctx, svc, given)
		if err != nil {
			return err
		}
		d, err := svc.Project(ctx, id)
		if err != nil {
			return err
		}
		return sh.showProject(d)
	})
}
