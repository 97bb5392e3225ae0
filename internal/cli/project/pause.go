package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newPause(sh *shell.Shell) *cobra.Command {
	req := api.PauseProject{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "pause [PROJECT] [flags]",
		Short:       "Pause a project: its runs and its queue",
		Long: `The project's runs start nothing new, and its queue does not start the next
epic. Agents at work finish, and their work is kept. You can still queue goals.`,
		Example: `  stellwerk projects pause
  stellwerk projects pause shop -m "release freeze"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(cmd.Context(), sh, shell.First(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.PauseProject(cmd.Context(), id, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Reason, "reason", "m", "", "reason, as `TEXT`")
	return cmd
}
