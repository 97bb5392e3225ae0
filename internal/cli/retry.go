package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

type retryOptions struct{ after after }

func newRetry(sh *shell) *cobra.Command {
	o := &retryOptions{}
	cmd := &cobra.Command{
		Use:   "retry [RUN] [flags]",
		Short: "Give the current stage its attempts back",
		Long: `Lets the run's current stage be tried again after its attempts are used up. The
next attempt is shown what the checks found.` + afterHelp,
		Example: `  stellwerk retry
  stellwerk retry brisk-otter`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeOpenRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, first(args)) },
	}
	o.after.flags(cmd)
	return cmd
}

func (o *retryOptions) run(ctx context.Context, sh *shell, given string) error {
	return sh.say(ctx, "retry", given, o.after, func(svc api.Service, id string) (api.Run, error) {
		return svc.Retry(ctx, id, api.Retry{})
	})
}
