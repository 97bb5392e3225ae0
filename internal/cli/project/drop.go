package project

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newDrop(sh *shell.Shell) *cobra.Command {
	req := api.DropEpic{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "drop PROJECT EPIC [flags]",
		Short:       "Take an epic out of the queue",
		Long: `Takes an epic out of a project's queue. If it has become a run, cancel the run
instead.`,
		Example: `  stellwerk projects drop shop epic-3
  stellwerk projects drop shop epic-3 -m "no longer wanted"`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: shell.CompleteEpics(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Epic = args[1]
			return answer(cmd.Context(), sh, args[0], func(svc api.Service, id string) (api.ProjectDetail, error) {
				return svc.DropEpic(cmd.Context(), id, req)
			})
		},
	}
	cmd.Flags().StringVarP(&req.Reason, "reason", "m", "", "reason, as `TEXT`")
	return cmd
}
