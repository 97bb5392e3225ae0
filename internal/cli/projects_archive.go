package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjectsArchive(sh *shell) *cobra.Command {
	req := api.ArchiveProject{}
	cmd := &cobra.Command{
		Use:   "archive [PROJECT] [flags]",
		Short: "Put a project aside",
		Long: `Puts a project aside: it is left out of the list, and no run starts in it until
it is resumed. It is refused while a run is open. Nothing is deleted.`,
		Example: `  stellwerk projects archive shop
  stellwerk projects --all`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.tellProject(cmd.Context(), "projects archive", first(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.ArchiveProject(cmd.Context(), id, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Reason, "reason", "m", "", "`TEXT`: why")
	return cmd
}
