package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type rollbackOptions struct {
	req   api.Rollback
	after drive.After
}

func NewRollback(sh *shell.Shell) *cobra.Command {
	o := &rollbackOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "rollback [RUN] [flags]",
		Short:       "Send the run back to a stage",
		Long: `Opens a new round of an earlier stage and redoes the stages after it. Without
--to, goes where the review's findings point. Name a phase by its id or its
number, as ` + "`stellwerk status`" + ` shows them. Agents correct the work so far;
with --reset they start from before the stage, and the abandoned work stays
under a ref.` + drive.AfterHelp,
		Example: `  stellwerk rollback
  stellwerk rollback brisk-otter --to build -m "handle the empty list"
  stellwerk rollback brisk-otter --to 2 -m "check who may do it"
  stellwerk rollback brisk-otter --to plan --reset`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Steer(cmd.Context(), sh, shell.First(args), o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
				return svc.Rollback(ctx, run.ID, o.req)
			})
		},
	}
	cmd.Flags().StringVar(&o.req.To, "to", "", "`STAGE` to go back to, or the number of a phase")
	cmd.Flags().StringVarP(&o.req.Text, "message", "m", "", "what should change there, as `TEXT`")
	cmd.Flags().BoolVar(&o.req.Reset, "reset", false, "start over from before the stage")
	shell.CompleteStages(sh, cmd, "to")
	o.after.Flags(cmd)
	return cmd
}
