// Package playbook has the commands about playbooks and what they use: roles,
// schemas, and the trust in a repository's own.
package playbook

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func New(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "playbook",
		Short: "List, show, check, import and use playbooks",
		Long: `A playbook says how Stellwerk drives a run: its phases, who works on them, which
checks each must pass, and where you must approve. A repository keeps its own in
` + playbook.Folder + `/; others are built in.`,
		Example: `  stellwerk playbook list
  stellwerk playbook validate .stellwerk/playbooks/feature.yaml`,
	}
	cmd.AddCommand(newList(sh), newShow(sh), newValidate(sh), newImport(sh), newUse(sh))
	return cmd
}
