package run

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type approveOptions struct {
	delivery      string
	comment, base string
	withSecrets   bool
	after         drive.After
}

func NewApprove(sh *shell.Shell) *cobra.Command {
	o := &approveOptions{}
	cmd := &cobra.Command{
		Use:   "approve [RUN] [flags]",
		Short: "Approve what waits at a gate",
		Long: `Approves exactly what the gate shows now: one delivery and, for a pull request,
its commit, branch, remote and base. If any of these changes before Stellwerk
acts on the approval, the approval lapses and you are asked again.

With a different --base, nothing is approved yet: Stellwerk verifies what it
would publish there and asks you again.

If the gate lists possible secrets, the command refuses to approve unless you
add --with-secrets, which publishes them as they are.` + drive.AfterHelp,
		Example: `  stellwerk approve
  stellwerk approve brisk-otter --comment "fine with me"
  stellwerk approve brisk-otter --base develop`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().StringVarP(&o.comment, "comment", "m", "", "`TEXT` to record with the approval")
	cmd.Flags().StringVar(&o.delivery, "delivery", "", "approve only if `HASH` is still what waits; status shows it")
	cmd.Flags().StringVar(&o.base, "base", "", "another target `BRANCH` for the pull request; asks you again")
	cmd.Flags().BoolVar(&o.withSecrets, "with-secrets", false, "publish even though the gate lists possible secrets")
	o.after.Flags(cmd)
	return cmd
}

func (o *approveOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	return drive.Steer(ctx, sh, "approve", given, o.after, func(svc api.Service, id string) (api.Run, error) {
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return api.Run{}, err
		}
		req := api.Approve{Comment: o.comment, Base: o.base, WithSecrets: o.withSecrets}
		if detail.Gate != nil {
			if !strings.HasPrefix(detail.Gate.Subject.Delivery, o.delivery) {
				return api.Run{}, core.Errorf(core.CodeConflict, "delivery %.10s waits now, not %s", detail.Gate.Subject.Delivery, o.delivery).
					WithHint("look again: stellwerk status %s", detail.Alias)
			}
			req.Subject = &detail.Gate.Subject
		}
		run, err := svc.Approve(ctx, detail.ID, req)
		switch {
		case err != nil || req.Subject == nil || sh.JSON:
		case o.base != "" && o.base != req.Subject.Base:
			sh.Printf("Not approved yet: Stellwerk prepares the pull request into %s and asks you again.\n", terminal.Line(o.base))
		default:
			sh.Printf("Approved: stage %s, delivery %.10s at commit %.10s\n", terminal.Line(req.Subject.Stage), req.Subject.Delivery, req.Subject.Commit)
		}
		return run, err
	})
}
