package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

type playbookUseOptions struct {
	req   api.Swap
	run   string
	after after
}

func newPlaybookUse(sh *shell) *cobra.Command {
	o := &playbookUseOptions{}
	cmd := &cobra.Command{
		Use:   "use FILE|NAME [flags]",
		Short: "Let another playbook drive a project's run",
		Long: `Hands the run that drives a project over to another playbook: from a table of
rules to a manager, or back. The plan, the branches and the history stay. It is
possible with nothing running; ` + "`stellwerk pause`" + ` lets what runs come to its end.` + afterHelp,
		Example: `  stellwerk playbook use project
  stellwerk playbook use project-rules --run brisk-otter`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.req.Playbook = args[0]
			return o.use(cmd.Context(), sh)
		},
	}
	cmd.Flags().StringVar(&o.run, "run", "", "`RUN` that drives the project (default the open one)")
	cmd.Flags().BoolVar(&o.req.Trust, "trust", false, "trust the repository's playbook and roles as they are")
	o.after.flags(cmd)
	return cmd
}

func (o *playbookUseOptions) use(ctx context.Context, sh *shell) error {
	dir, err := sh.Dir()
	if err != nil {
		return err
	}
	o.req.Dir = dir
	return sh.say(ctx, "swap", o.run, o.after, func(svc api.Service, id string) (api.Run, error) {
		return svc.Swap(ctx, id, o.req)
	})
}
