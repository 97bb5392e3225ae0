package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type skipOptions struct {
	req   api.Skip
	after drive.After
}

func NewSkip(sh *shell.Shell) *cobra.Command {
	o := &skipOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "skip [RUN] [flags]",
		Short:       "Skip the current stage",
		Long: `Skips the run's current stage and records that you did. The stage must have
nothing running. At a terminal, the command asks first unless you name the run
or the stage.` + drive.AfterHelp,
		Example: `  stellwerk skip
  stellwerk skip brisk-otter --stage docs -m "no public interface changed"`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Steer(cmd.Context(), sh, shell.First(args), o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
				if o.req.Stage == "" {
					if err := drive.ConfirmUnnamed(ctx, sh, run, "Skip the stage %[2]s of %[1]s?"); err != nil {
						return api.Run{}, err
					}
				}
				return svc.Skip(ctx, run.ID, o.req)
			})
		},
	}
	cmd.Flags().StringVar(&o.req.Stage, "stage", "", "only if `STAGE` is the current one")
	cmd.Flags().StringVarP(&o.req.Reason, "reason", "m", "", "reason, as `TEXT`")
	shell.CompleteStages(sh, cmd, "stage")
	o.after.Flags(cmd)
	return cmd
}
