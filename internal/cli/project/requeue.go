package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newRequeue(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "requeue PROJECT [EPIC]",
		Short:       "Queue epics again that could not start",
		Long: `Puts an epic that could not start back at the end of its project's queue, or all
such epics if you name none. Fix the reason first.`,
		Example: `  stellwerk projects requeue shop
  stellwerk projects requeue shop epic-3`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: shell.CompleteEpics(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := api.RequeueEpic{Epic: shell.First(args[1:])}
			return answer(cmd.Context(), sh, args[0], func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.RequeueEpic(cmd.Context(), id, req)
			})
		},
	}
}
