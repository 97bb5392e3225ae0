package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func NewInbox(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "inbox",
		Short: "List what waits for you",
		Long: `Lists everything that waits for you in all repositories, oldest first: for how
long, why, and which command to type.`,
		Example: `  stellwerk inbox`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return inbox(cmd.Context(), sh) },
	}
}

func inbox(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		waiting, err := svc.Inbox(ctx)
		if err != nil {
			return err
		}
		return sh.PrintList(api.WaitingList{Waiting: append([]api.Waiting{}, waiting...)}, sh.View().Inbox(waiting), "Nothing waits for you.")
	})
}
