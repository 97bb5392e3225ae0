package run

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func NewReplay(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Check a run's state against its events",
		Long: `Reads a run's events from the beginning, derives its state and the decisions
that this version made, and compares them with the stored ones. The exit code is
1 if they differ.`,
		Example: `  stellwerk replay
  stellwerk replay brisk-otter --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return replay(cmd.Context(), sh, shell.First(args)) },
	}
}

func replay(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		r, err := svc.Replay(ctx, id)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%d events, %d decisions derived again", r.Events, r.Decisions)
		if r.Other > 0 {
			line += fmt.Sprintf(", %d made by other versions", r.Other)
		}
		if err := sh.Print(r, line); err != nil {
			return err
		}
		if !r.StateEqual || r.Difference != "" {
			return core.Errorf(core.CodeInternal, "the run's events do not lead to the stored state: %s", terminal.Line(r.Difference)).
				WithHint("keep the state folder as it is, and report this as a bug")
		}
		return nil
	})
}
