package playbook

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func newShow(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Show a playbook with all defaults filled in",
		Long: `Shows a playbook as a run would use it here: with defaults, roles, agents,
detected commands and implied checks filled in.`,
		Example: `  stellwerk playbook show feature
  stellwerk playbook show .stellwerk/playbooks/release.yaml`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: shell.Offer(sh.PlaybookNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, _, err := sh.Playbook(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if sh.JSON {
				return sh.PrintJSON(p)
			}
			text, err := playbook.Render(*p)
			if err != nil {
				return err
			}
			sh.Printf("%s", terminal.Text(string(text)))
			return nil
		},
	}
}
