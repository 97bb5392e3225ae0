package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type cancelOptions struct{ req api.Cancel }

func NewCancel(sh *shell.Shell) *cobra.Command {
	o := &cancelOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "cancel [RUN] [flags]",
		Short:       "End a run for good",
		Long: `Ends the run and its agents. Their work so far is kept: the run's branch, its
artifacts and its history. At a terminal, the command asks before it ends a run
that you did not name.`,
		Example: `  stellwerk cancel brisk-otter
  stellwerk cancel brisk-otter -m "not needed any more"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Halt(cmd.Context(), sh, shell.First(args), true, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
				if err := drive.ConfirmUnnamed(ctx, sh, run, "End %[1]s for good, at stage %[2]s?"); err != nil {
					return api.Run{}, err
				}
				return svc.Cancel(ctx, run.ID, o.req)
			})
		},
	}
	cmd.Flags().StringVarP(&o.req.Reason, "reason", "m", "", "reason, as `TEXT`")
	return cmd
}
