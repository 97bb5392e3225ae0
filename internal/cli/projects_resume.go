package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjectsResume(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "resume [PROJECT]",
		Short: "Let a paused or archived project go on",
		Long: `Lets a project go on that was paused, and takes it out of the archive. The runs
that were paused with it go on; one that was paused for a reason of its own
waits for that. An engine drives them: ` + "`stellwerk serve`" + ` keeps one running.`,
		Example: `  stellwerk projects resume
  stellwerk projects resume shop`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.tellProject(cmd.Context(), "projects resume", first(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.ResumeProject(cmd.Context(), id, api.ResumeProject{})
			})
		},
	}
}
