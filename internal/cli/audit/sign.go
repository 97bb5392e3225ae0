package audit

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func newSign(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "sign",
		Short:       "Sign what has happened since the last checkpoint",
		Long: `Has the engine make a checkpoint now, signed with the key that its settings name
(audit.key). It refuses if the history is not the one that was signed before.

Note the hash of the newest checkpoint outside of this machine: audit verify
--expect HASH then also finds checkpoints that were removed.`,
		Example: `  stellwerk audit sign
  stellwerk audit sign --json | jq -r .newest.hash`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return signNow(cmd.Context(), sh) },
	}
}

func signNow(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		out, err := svc.SignHistory(ctx)
		if err != nil {
			return err
		}
		if sh.JSON {
			return sh.PrintJSON(out)
		}
		sh.PrintText("", signedLine(out))
		return nil
	})
}

func signedLine(out api.SignedHistory) string {
	switch {
	case out.Newest == nil:
		return "There is no history to sign yet."
	case out.Made == 0:
		return fmt.Sprintf("Nothing has happened since checkpoint %d, whose hash is %s", out.Newest.Number, out.Newest.Hash)
	}
	return fmt.Sprintf("Checkpoint %d signs where %s stand, with %s. Its hash is %s", out.Newest.Number, wording.Number(out.Streams, "stream", "streams"), out.Key, out.Newest.Hash)
}
