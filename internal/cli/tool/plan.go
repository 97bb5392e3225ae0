package tool

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/desk"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

type planOptions struct {
	*options
	show bool
	base string
}

func newPlan(sh *shell.Shell, t *options) *cobra.Command {
	o := &planOptions{options: t}
	cmd := &cobra.Command{
		Use:   "plan MESSAGE [flags]",
		Short: "Commit the plan, or show it",
		Long: tool.ExplainPlan + `

MESSAGE says what you changed; the commit's subject is "plan: MESSAGE". --show
prints the current plan and its digest. An agent's next change counts as based
on the plan it was shown; a person gives the digest with --base.`,
		Example: `  update-plan "step 2 is done"
  update-plan --show
  stellwerk tool plan "add a step" --base 5f70bf18a086…`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.show {
				return o.print(cmd.Context(), sh)
			}
			return o.update(cmd.Context(), sh, strings.TrimSpace(shell.First(args)))
		},
	}
	cmd.Flags().BoolVar(&o.show, "show", false, "print the current plan")
	cmd.Flags().StringVar(&o.base, "base", "", "`DIGEST` of the plan that you changed; agents need not give it")
	return cmd
}

func (o *planOptions) update(ctx context.Context, sh *shell.Shell, message string) error {
	if message == "" {
		return shell.Usagef("say what you changed: plan MESSAGE")
	}
	return call(ctx, sh, o.options, tool.SayUpdated, func(k tool.Kit) (tool.Updated, error) {
		k.Base = o.base
		return k.UpdatePlan(ctx, message)
	})
}

func (o *planOptions) print(ctx context.Context, sh *shell.Shell) error {
	return o.use(ctx, sh, func(k tool.Kit) error {
		plan, err := k.ShowPlan(ctx)
		if err != nil {
			return err
		}
		if sh.JSON {
			return sh.PrintJSON(plan)
		}
		if plan.Trouble != "" {
			sh.Warn([]string{"Stellwerk cannot follow the plan: " + plan.Trouble})
		}
		text, found := plan.Files[desk.PlanFile]
		if !found {
			sh.Tell("", "there is no plan yet")
			return nil
		}
		sh.Tell("", "digest "+plan.Digest)
		sh.Printf("%s", terminal.Text(text))
		return nil
	})
}
