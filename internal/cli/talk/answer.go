package talk

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type answerOptions struct {
	wait  bool
	after drive.After
}

func NewAnswer(sh *shell.Shell) *cobra.Command {
	o := &answerOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         `answer QUESTION TEXT... [flags]`,
		Short:       "Answer a manager's, planner's or worker's question",
		Long: `Answers a question from a project's manager, or from the planner or a worker of
a run in waves. Name it by its id or the first characters of it; inbox lists the
open questions. The answer wakes the manager, and work that waited for it goes
on. A question can be answered once; if you change your mind, use say. With - as
TEXT, the command reads standard input.` + drive.AfterHelp,
		Example: `  stellwerk answer q-1f2e3d4c "PostgreSQL"
  stellwerk answer 1f2e --wait "both, but the list first"`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeQuestions(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	cmd.Flags().BoolVarP(&o.wait, "wait", "w", false, "wait for the manager's or planner's reply and show it")
	o.after.Flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("wait", "follow", "detach")
	return cmd
}

func (o *answerOptions) run(ctx context.Context, sh *shell.Shell, args []string) error {
	question, text, err := speech(sh, args)
	if err != nil {
		return err
	}
	if o.after.Detach {
		if err := sh.EnsureEngine(ctx); err != nil {
			return err
		}
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		spoken, err := svc.Answer(ctx, question, api.Answer{Text: text})
		if err != nil {
			return err
		}
		return afterSpeaking(ctx, sh, svc, spoken, o.wait, o.after)
	})
}

// completeQuestions offers what waits for an answer, if an engine runs.
func completeQuestions(sh *shell.Shell) cobra.CompletionFunc {
	return shell.Complete(func(cmd *cobra.Command, args []string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		var offers []cobra.Completion
		_ = sh.AskEngine(cmd, func(ctx context.Context, svc api.Service) error { // nobody to tell
			questions, err := svc.Questions(ctx)
			for _, q := range questions {
				offers = append(offers, cobra.CompletionWithDesc(q.ID, q.Text))
			}
			return err
		})
		return offers
	})
}
