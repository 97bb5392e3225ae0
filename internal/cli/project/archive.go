package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newArchive(sh *shell.Shell) *cobra.Command {
	req := api.ArchiveProject{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "archive [PROJECT] [flags]",
		Short:       "Archive a project",
		Long: `Archives a project: the list leaves it out, and no run starts in it until you
resume it. It must have no open run. Nothing is deleted.`,
		Example: `  stellwerk projects archive shop
  stellwerk projects --all`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(cmd.Context(), sh, shell.First(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.ArchiveProject(cmd.Context(), id, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Reason, "reason", "m", "", "reason, as `TEXT`")
	return cmd
}
