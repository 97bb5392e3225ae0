package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type feedbackOptions struct {
	reset bool
	after after
}

func newFeedback(sh *shell) *cobra.Command {
	o := &feedbackOptions{}
	cmd := &cobra.Command{
		Use:   `feedback [RUN] TEXT... [flags]`,
		Short: "Send the current stage back with your words",
		Long: `Opens a new round of the run's current stage with your words as its task. The
work so far is kept and corrected; with --reset the round starts from before
the stage, and the abandoned work is kept under a ref. At the gate of a stage
that judges the work of others, as a review does, the stage that can put it
right is done again instead.

In a project that has its plan, your words are about the work as a whole, at any
time, after the pull request was opened too: by rules they become a stage of
their own, and a manager is woken with them.

Of several words the first is the RUN; without one, put the words into quotes. A
TEXT of - is read from standard input.` + afterHelp,
		Example: `  stellwerk feedback "the search must ignore case"
  stellwerk feedback brisk-otter --reset "use the existing index instead"
  stellwerk feedback brisk-otter - < review.md`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeOpenRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	cmd.Flags().BoolVar(&o.reset, "reset", false, "start again from before the stage")
	o.after.flags(cmd)
	return cmd
}

func (o *feedbackOptions) run(ctx context.Context, sh *shell, args []string) error {
	given, text := "", args[0]
	if len(args) > 1 {
		given, text = args[0], strings.Join(args[1:], " ")
	}
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(sh.Console.In, 1<<20))
		if err != nil {
			return err
		}
		text = string(data)
	}
	if text = strings.TrimSpace(text); text == "" {
		return usagef("feedback needs words: what is to change?")
	}
	return sh.say(ctx, "feedback", given, o.after, func(svc api.Service, id string) (api.Run, error) {
		if given == "" {
			if err := notARun(ctx, svc, text); err != nil {
				return api.Run{}, err
			}
		} else if _, err := svc.Run(ctx, given); core.CodeOf(err) == core.CodeNotFound {
			return api.Run{}, core.Wrap(core.CodeNotFound, err, "the first word names the run",
				`put the words into quotes: stellwerk feedback "…", or see stellwerk status`)
		}
		return svc.Feedback(ctx, id, api.Feedback{Text: text, Reset: o.reset})
	})
}

// notARun catches a run's name where the words were forgotten.
func notARun(ctx context.Context, svc api.Service, text string) error {
	if strings.ContainsAny(text, " \t\n/") {
		return nil
	}
	_, err := svc.Run(ctx, text)
	if err == nil {
		return usagef("%s is a run; what is to change in it?", text)
	}
	if core.CodeOf(err) == core.CodeNotFound {
		return nil
	}
	return err
}
