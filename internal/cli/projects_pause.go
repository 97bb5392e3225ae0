package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjectsPause(sh *shell) *cobra.Command {
	req := api.PauseProject{}
	cmd := &cobra.Command{
		Use:   "pause [PROJECT] [flags]",
		Short: "Stand a project still: its runs and its queue",
		Long: `Keeps all runs of a project from beginning anything, and its queue from starting
the next epic. Agents at work finish, and what they hand in is kept. Goals can
still be queued.`,
		Example: `  stellwerk projects pause
  stellwerk projects pause shop -m "release freeze"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.tellProject(cmd.Context(), "projects pause", first(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.PauseProject(cmd.Context(), id, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Reason, "reason", "m", "", "`TEXT`: why")
	return cmd
}
