package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

func newSchema(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [playbook|review]",
		Short: "Print a JSON Schema",
		Long: `Prints the JSON Schema of playbooks, for editors that check and complete YAML,
or of the review.json that a reviewer hands in.`,
		Example: `  stellwerk schema > playbook.schema.json
  stellwerk schema review`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"playbook", "review"},
		RunE: func(_ *cobra.Command, args []string) error {
			text := playbook.Schema()
			if first(args) == "review" {
				text = role.ReviewSchema()
			}
			sh.printf("%s\n", strings.TrimRight(string(text), "\n"))
			return nil
		},
	}
}
