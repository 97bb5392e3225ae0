package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newShow(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show [PROJECT]",
		Short: "Show a project: its run, queue and cost",
		Long: `Shows the state of a project: the run that drives it, the epics in its queue,
its tasks by status, cost, tokens, limits, pull request, and last activity.`,
		Example: `  stellwerk projects show
  stellwerk projects show shop --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(cmd.Context(), sh, shell.First(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.Project(cmd.Context(), id)
			})
		},
	}
}
