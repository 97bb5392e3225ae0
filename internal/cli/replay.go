package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func newReplay(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Check a run's state against its events",
		Long: `Reads a run's events from the beginning, derives its state and the decisions
that this version made, and compares them with the stored ones. The exit code is
1 if they differ.`,
		Example: `  stellwerk replay
  stellwerk replay brisk-otter --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return replay(cmd.Context(), sh, first(args)) },
	}
}

func replay(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		id, err := sh.find(ctx, svc, given)
		if err != nil {
			return err
		}
		r, err := svc.Replay(ctx, id)
		if err != nil {
			return err
		}
		if sh.json {
			if err := sh.printJSON(r); err != nil {
				return err
			}
		} else {
			sh.printf("%d events, %d decisions derived again", r.Events, r.Decisions)
			if r.Other > 0 {
				sh.printf(", %d made by other versions", r.Other)
			}
			sh.printf("\n")
		}
		if !r.StateEqual || r.Difference != "" {
			return core.Errorf(core.CodeInternal, "the run's events do not lead to the stored state: %s", terminal.Line(r.Difference)).
				WithHint("keep the state folder as it is, and report this as a bug")
		}
		return nil
	})
}
