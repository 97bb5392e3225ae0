package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func newPlaybook(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "playbook",
		Short: "List, show, check, import and use playbooks",
		Long: `A playbook says how Stellwerk drives a run: its phases, who works on them, which
checks each must pass, and where you must approve. A repository keeps its own in
` + playbook.Folder + `/; others are built in.`,
		Example: `  stellwerk playbook list
  stellwerk playbook validate .stellwerk/playbooks/feature.yaml`,
	}
	cmd.AddCommand(newPlaybookList(sh), newPlaybookShow(sh), newPlaybookValidate(sh), newPlaybookImport(sh), newPlaybookUse(sh))
	return cmd
}
