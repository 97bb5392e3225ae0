package talk

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

func NewConversations(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "conversations [PROJECT]",
		Short: "List a project's conversations, or start one",
		Long: `Lists a project's conversations. Every project has one called main. To keep a
topic apart, start another and use it with --conversation in say, chat and
messages. The manager reads the conversation that woke it and answers there.
Name the PROJECT as for say.`,
		Example: `  stellwerk conversations
  stellwerk conversations start "the search"
  stellwerk say --conversation "the search" "it must ignore case"
  stellwerk conversations rename "the search" search`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteAddressees(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.Connect(cmd.Context(), func(svc api.Service) error {
				list, err := svc.Conversations(cmd.Context(), api.ConversationQuery{Project: shell.First(args), Dir: sh.Dir})
				if err != nil {
					return err
				}
				var lines []string
				for _, t := range list {
					lines = append(lines, sh.View().Talk(t)...)
				}
				return sh.Print(api.ConversationList{Conversations: list}, lines...)
			})
		},
	}
	cmd.AddCommand(newConversationsStart(sh), newConversationsRename(sh))
	return cmd
}

func newConversationsStart(sh *shell.Shell) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "start NAME [flags]",
		Short:       "Start a conversation",
		Long: `Starts another conversation in the project. The NAME is one line and must be
unique in the project.`,
		Example: `  stellwerk conversations start "the search" --project shop`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.Connect(cmd.Context(), func(svc api.Service) error {
				talk, err := svc.OpenConversation(cmd.Context(), api.OpenConversation{Project: project, Dir: sh.Dir, Name: args[0]})
				return printConversation(sh, talk, "begun", err)
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "`PROJECT` it belongs to (default: the working directory's)")
	shell.CompleteFlag(cmd, "project", shell.CompleteAddressees(sh))
	return cmd
}

func newConversationsRename(sh *shell.Shell) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "rename CONVERSATION NAME [flags]",
		Short:       "Rename a conversation",
		Long: `Renames a conversation. Name it by its name, its id, or the end of its id (c1).
main cannot be renamed.`,
		Example: `  stellwerk conversations rename c1 search`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sh.Connect(cmd.Context(), func(svc api.Service) error {
				req := api.NameConversation{Project: project, Dir: sh.Dir, Conversation: args[0], Name: args[1]}
				talk, err := svc.NameConversation(cmd.Context(), req)
				return printConversation(sh, talk, "renamed", err)
			})
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "`PROJECT` it belongs to (default: the working directory's)")
	shell.CompleteFlag(cmd, "project", shell.CompleteAddressees(sh))
	return cmd
}

// printConversation prints what was done to a conversation.
func printConversation(sh *shell.Shell, t api.ConversationView, done string, err error) error {
	if err != nil {
		return err
	}
	return sh.Print(t, fmt.Sprintf("%s is %s (%s): stellwerk say --conversation %s \"…\"", terminal.Line(t.Name), done, t.ID, terminal.Line(plain.ShellWord(t.Name))))
}

// inConversation gives a command the flag for a conversation.
func inConversation(cmd *cobra.Command, sh *shell.Shell, to *string, help string) {
	cmd.Flags().StringVarP(to, "conversation", "c", "", help)
	shell.CompleteFlag(cmd, "conversation", shell.Complete(func(cmd *cobra.Command, args []string) []cobra.Completion {
		q := api.ConversationQuery{Dir: sh.Dir}
		if len(args) > 1 || len(args) == 1 && cmd.Name() != "say" {
			q.Project = args[0]
		}
		var names []cobra.Completion
		_ = sh.AskEngine(cmd, func(ctx context.Context, svc api.Service) error { // nobody to tell
			list, err := svc.Conversations(ctx, q)
			for _, t := range list {
				names = append(names, t.Name)
			}
			return err
		})
		return names
	}))
}
