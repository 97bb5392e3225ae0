package tool

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func newMessage(sh *shell.Shell, t *options) *cobra.Command {
	var file, in string
	cmd := &cobra.Command{
		Use:   "message CONTENT [flags]",
		Short: "Write to the conversation",
		Long: tool.ExplainMessage + `

With - as CONTENT, the command reads standard input. An agent speaks as itself:
the manager as green, a worker as red. A person is user, or blue with --role.`,
		Example: `  send-message "The API is done; the UI comes next."
  send-message - < report.md
  stellwerk tool message --role blue "Please use the existing table."`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := sh.ReadText(shell.First(args), file)
			if err != nil {
				return err
			}
			if text == "" {
				return shell.Usagef("the message is empty")
			}
			return call(cmd.Context(), sh, t, tool.SayTold, func(k tool.Kit) (api.Told, error) {
				return k.Tell(cmd.Context(), k.Run, api.Tell{Text: text, Conversation: in})
			})
		},
	}
	cmd.Flags().StringVar(&in, "conversation", "", conversationHelp)
	cmd.Flags().StringVar(&file, "file", "", "read the content from this `FILE`")
	return cmd
}
