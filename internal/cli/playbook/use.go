package playbook

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type useOptions struct {
	req   api.Swap
	run   string
	after drive.After
}

func newUse(sh *shell.Shell) *cobra.Command {
	o := &useOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "use FILE|NAME [flags]",
		Short:       "Switch a project's run to another playbook",
		Long: `Switches the run that drives a project to another playbook: from rules to a
manager, or back. Plan, branches and history stay. No agent may be at work;
` + "`stellwerk pause`" + ` lets those at work finish.` + drive.AfterHelp,
		Example: `  stellwerk playbook use project
  stellwerk playbook use project-rules --run brisk-otter`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.req.Playbook = args[0]
			return o.use(cmd.Context(), sh)
		},
	}
	cmd.Flags().StringVar(&o.run, "run", "", "`RUN` that drives the project (default the open one)")
	cmd.Flags().BoolVar(&o.req.Trust, "trust", false, "trust the repository's playbook and roles as they are now")
	o.after.Flags(cmd)
	return cmd
}

func (o *useOptions) use(ctx context.Context, sh *shell.Shell) error {
	o.req.Dir = sh.Dir
	return drive.Steer(ctx, sh, o.run, o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
		return svc.Swap(ctx, run.ID, o.req)
	})
}
