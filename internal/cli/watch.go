package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func newWatch(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Follow a run live",
		Long: `Follows a run until it ends or needs you, as run does: live at a terminal,
otherwise its state and then one line per event. If no engine runs, the command
drives the run while it follows it.`,
		Example: `  stellwerk watch
  stellwerk watch brisk-otter`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return watch(cmd.Context(), sh, first(args)) },
	}
}

func watch(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.find(ctx, svc, given)
		if err != nil {
			return err
		}
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return err
		}
		if !sh.json && !sh.Console.Live && detail.Status == core.StatusActive {
			sh.printLines(sh.view().Run(detail))
		}
		return sh.drive(ctx, svc, detail.Run, detail.Seq)
	})
}
