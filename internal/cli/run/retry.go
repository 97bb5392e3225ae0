package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type retryOptions struct {
	req   api.Retry
	after drive.After
}

func NewRetry(sh *shell.Shell) *cobra.Command {
	o := &retryOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "retry [RUN] [flags]",
		Short:       "Give the current stage its attempts back",
		Long: `Gives the run's current stage new attempts after it has used them all. The next
attempt sees what the checks found.

If attempts end at their own limit of money or tokens, raise that limit with
this command; it applies to every later attempt of the run.` + drive.AfterHelp,
		Example: `  stellwerk retry
  stellwerk retry brisk-otter
  stellwerk retry brisk-otter --max-attempt-cost 2.50`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := shell.Positive(cmd, "max-attempt-cost", "max-attempt-tokens"); err != nil {
				return err
			}
			return drive.Steer(cmd.Context(), sh, shell.First(args), o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
				return svc.Retry(ctx, run.ID, o.req)
			})
		},
	}
	cmd.Flags().Float64Var(&o.req.MaxAttemptCostUSD, "max-attempt-cost", 0, "new limit per attempt in `USD`")
	cmd.Flags().Int64Var(&o.req.MaxAttemptTokens, "max-attempt-tokens", 0, "new limit per attempt of `N` tokens")
	o.after.Flags(cmd)
	return cmd
}
