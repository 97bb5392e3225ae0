package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newResume(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "resume [PROJECT]",
		Short:       "Resume a paused or archived project",
		Long: `Resumes a paused project, or takes one out of the archive. The runs that were
paused with it go on; a run that was paused for another reason stays paused. An
engine drives them: ` + "`stellwerk serve`" + ` keeps one running.`,
		Example: `  stellwerk projects resume
  stellwerk projects resume shop`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteProjects(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(cmd.Context(), sh, shell.First(args), func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.ResumeProject(cmd.Context(), id, api.ResumeProject{})
			})
		},
	}
}
