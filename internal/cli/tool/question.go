package tool

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func newQuestion(sh *shell.Shell, t *options) *cobra.Command {
	var req api.Ask
	var file string
	cmd := &cobra.Command{
		Use:   "question TEXT [flags]",
		Short: "Ask people something",
		Long: tool.ExplainQuestion + `

With - as TEXT, the command reads standard input.`,
		Example: `  request-clarification "Is the list to be paged?"
  request-clarification "Which database?" --default SQLite --after 2h`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if req.Text, err = sh.ReadText(shell.First(args), file); err != nil {
				return err
			}
			if req.Text == "" {
				return shell.Usagef("the question is empty")
			}
			return call(cmd.Context(), sh, t, tool.SayAsked, func(k tool.Kit) (api.Asked, error) {
				return k.Ask(cmd.Context(), k.Run, req)
			})
		},
	}
	cmd.Flags().StringVar(&req.Default, "default", "", "the `ANSWER` if nobody gives one; needs --after")
	cmd.Flags().DurationVar(&req.After, "after", 0, "`TIME` after which the default is the answer, such as 2h")
	cmd.Flags().StringVar(&req.Conversation, "conversation", "", conversationHelp)
	cmd.Flags().StringVar(&file, "file", "", "read the question from this `FILE`")
	cmd.MarkFlagsRequiredTogether("default", "after")
	return cmd
}
