package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func NewWatch(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Follow a run live",
		Long: `Follows a run until it ends or needs you, as run does: live at a terminal,
otherwise its state and then one line per event. If no engine runs, the command
drives the run while it follows it.`,
		Example: `  stellwerk watch
  stellwerk watch brisk-otter`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return watch(cmd.Context(), sh, shell.First(args)) },
	}
}

func watch(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return err
		}
		if !sh.JSON && !sh.Console.Live && detail.Status == core.StatusActive {
			sh.PrintLines(sh.View().Run(detail))
		}
		return drive.Run(ctx, sh, svc, detail.Run, detail.Seq)
	})
}
