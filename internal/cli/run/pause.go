package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type pauseOptions struct{ req api.Pause }

func NewPause(sh *shell.Shell) *cobra.Command {
	o := &pauseOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "pause [RUN] [flags]",
		Short:       "Stop a run for now",
		Long: `The run starts nothing new. Agents at work finish, and their work is kept; with
--stop they are ended at once, and their work so far is kept.`,
		Example: `  stellwerk pause
  stellwerk pause --stop brisk-otter -m "wrong branch"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Halt(cmd.Context(), sh, shell.First(args), o.req.Stop, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
				return svc.Pause(ctx, run.ID, o.req)
			})
		},
	}
	cmd.Flags().BoolVar(&o.req.Stop, "stop", false, "also end the running agents")
	cmd.Flags().StringVarP(&o.req.Reason, "reason", "m", "", "reason, as `TEXT`")
	return cmd
}
