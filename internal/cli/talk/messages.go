package talk

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type messagesOptions struct {
	last         uint
	conversation string
}

func NewMessages(sh *shell.Shell) *cobra.Command {
	o := &messagesOptions{}
	cmd := &cobra.Command{
		Use:   "messages [PROJECT] [flags]",
		Short: "Show a project's conversation",
		Long: `Prints the whole conversation of a project, over all its runs: goals, messages,
questions and answers. Name the PROJECT as for say. If it has several
conversations, --conversation selects one.

--json prints {"messages": […]}, with kind, voice, by, text, at and event among
others.`,
		Example: `  stellwerk messages
  stellwerk messages shop --last 0 --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteAddressees(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	inConversation(cmd, sh, &o.conversation, "show only this `CONVERSATION`, by name or id")
	cmd.Flags().UintVarP(&o.last, "last", "n", 50, "show only the last `N`; 0 for all")
	return cmd
}

func (o *messagesOptions) run(ctx context.Context, sh *shell.Shell, project string) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		q := api.MessageQuery{Project: project, Dir: sh.Dir, Limit: int(o.last), Last: o.last > 0, Conversation: o.conversation}
		list := api.MessageList{Messages: []api.Message{}}
		for {
			piece, err := svc.Messages(ctx, q)
			if err != nil {
				return err
			}
			list.Messages = append(list.Messages, piece...)
			if q.Last || len(piece) == 0 {
				break
			}
			q.After = piece[len(piece)-1].Event
		}
		var lines []string
		for _, m := range list.Messages {
			lines = append(lines, sh.View().Message(m)...)
		}
		return sh.PrintList(list, lines, `No messages yet. Start with: stellwerk say "…"`)
	})
}
