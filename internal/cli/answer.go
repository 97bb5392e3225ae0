package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

type answerOptions struct {
	wait  bool
	after after
}

func newAnswer(sh *shell) *cobra.Command {
	o := &answerOptions{}
	cmd := &cobra.Command{
		Use:   `answer QUESTION TEXT... [flags]`,
		Short: "Answer a question of a manager, a planner or a worker",
		Long: `Answers a question of a project's manager, or of the planner or a worker of a
run in waves. It is named by its id or a unique beginning of it; inbox lists
what is asked. A manager is woken with the answer, and who waited for it goes
on. A question is answered once: what changes afterwards is for say. A TEXT of
- is read from standard input.` + afterHelp,
		Example: `  stellwerk answer q-1f2e3d4c "PostgreSQL"
  stellwerk answer 1f2e --wait "both, but the list first"`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: completeQuestions(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	cmd.Flags().BoolVarP(&o.wait, "wait", "w", false, "wait until the manager or planner has read it, and show what it says")
	o.after.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("wait", "follow", "detach")
	return cmd
}

func (o *answerOptions) run(ctx context.Context, sh *shell, args []string) error {
	if err := sh.personal("answer"); err != nil {
		return err
	}
	question, text, err := sh.speech(args)
	if err != nil {
		return err
	}
	if o.after.detach {
		if err := sh.detached(ctx); err != nil {
			return err
		}
	}
	return sh.connect(ctx, func(svc api.Service) error {
		spoken, err := svc.Answer(ctx, question, api.Answer{Text: text})
		if err != nil {
			return err
		}
		return sh.spoken(ctx, svc, spoken, o.wait, o.after)
	})
}

// completeQuestions offers what waits for an answer, where an engine runs.
func completeQuestions(sh *shell) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		opts, err := sh.options()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		opts.Existing = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), completeTimeout)
		defer cancel()
		var offers []cobra.Completion
		err = sh.connectTo(ctx, opts, func(svc api.Service) error {
			questions, err := svc.Questions(ctx)
			for _, q := range questions {
				offers = append(offers, cobra.CompletionWithDesc(q.ID, q.Text))
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp // nobody to tell
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}
