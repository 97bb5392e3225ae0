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
	sh       *shell.Shell
	req      api.Approve
	delivery string
	after    drive.After
}

func NewApprove(sh *shell.Shell) *cobra.Command {
	o := &approveOptions{sh: sh}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "approve [RUN] [flags]",
		Short:       "Approve what waits at a gate",
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return drive.Steer(cmd.Context(), sh, shell.First(args), o.after, o.approve)
		},
	}
	cmd.Flags().StringVarP(&o.req.Comment, "comment", "m", "", "`TEXT` to record with the approval")
	cmd.Flags().StringVar(&o.delivery, "delivery", "", "approve only if `HASH` is still what waits; status shows it")
	cmd.Flags().StringVar(&o.req.Base, "base", "", "another target `BRANCH` for the pull request; asks you again")
	cmd.Flags().BoolVar(&o.req.WithSecrets, "with-secrets", false, "publish even though the gate lists possible secrets")
	o.after.Flags(cmd)
	return cmd
}

// approve approves what waits in the run: in the list that the run was found in, or
// as the engine shows a run that the person named.
func (o *approveOptions) approve(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
	if run.Alias == "" {
		detail, err := svc.Run(ctx, run.ID)
		if err != nil {
			return api.Run{}, err
		}
		run = detail.Run
	}
	what, base := run.Subject, o.req.Base
	if what != nil && !strings.HasPrefix(what.Delivery, o.delivery) {
		return api.Run{}, core.Errorf(core.CodeConflict, "delivery %.10s waits now, not %s", what.Delivery, o.delivery).
			WithHint("look again: stellwerk status %s", run.Alias)
	}
	o.req.Subject = what
	run, err := svc.Approve(ctx, run.ID, o.req)
	switch {
	case err != nil || what == nil || o.sh.JSON:
	case base != "" && base != what.Base:
		o.sh.Printf("Not approved yet: Stellwerk prepares the pull request into %s and asks you again.\n", terminal.Line(base))
	default:
		o.sh.Printf("Approved: stage %s, delivery %.10s at commit %.10s\n", terminal.Line(what.Stage), what.Delivery, what.Commit)
	}
	return run, err
}
