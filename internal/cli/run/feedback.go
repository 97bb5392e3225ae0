package run

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type feedbackOptions struct {
	reset bool
	after drive.After
}

func NewFeedback(sh *shell.Shell) *cobra.Command {
	o := &feedbackOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         `feedback [RUN] TEXT... [flags]`,
		Short:       "Send the current stage back with comments",
		Long: `Opens a new round of the run's current stage with TEXT as its task. Agents
correct the work so far; with --reset they start from before the stage, and the
abandoned work stays under a ref. At the gate of a review, Stellwerk reopens the
stage that can fix the work instead.

In a project with a plan, feedback concerns the work as a whole and is possible
at any time, even after the pull request was opened: under rules it becomes a
stage of its own; a manager is woken with it.

If you give several words, the first is the RUN; without a RUN, quote the text.
With - as TEXT, the command reads standard input.` + drive.AfterHelp,
		Example: `  stellwerk feedback "the search must ignore case"
  stellwerk feedback brisk-otter --reset "use the existing index instead"
  stellwerk feedback brisk-otter - < review.md`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, args) },
	}
	cmd.Flags().BoolVar(&o.reset, "reset", false, "start over from before the stage")
	o.after.Flags(cmd)
	return cmd
}

func (o *feedbackOptions) run(ctx context.Context, sh *shell.Shell, args []string) error {
	given, text := "", args[0]
	if len(args) > 1 {
		given, text = args[0], strings.Join(args[1:], " ")
	}
	text, err := sh.ReadText(text, "")
	if err != nil {
		return err
	}
	if text = strings.TrimSpace(text); text == "" {
		return shell.Usagef("say what should change")
	}
	return drive.Steer(ctx, sh, given, o.after, func(ctx context.Context, svc api.Service, run api.Run) (api.Run, error) {
		if given == "" {
			if err := notARun(ctx, svc, text); err != nil {
				return api.Run{}, err
			}
		} else if _, err := svc.Run(ctx, given); core.CodeOf(err) == core.CodeNotFound {
			return api.Run{}, core.Wrap(core.CodeNotFound, err, "the first word must name the run",
				`quote the text: stellwerk feedback "…", or find the run with stellwerk status`)
		}
		return svc.Feedback(ctx, run.ID, api.Feedback{Text: text, Reset: o.reset})
	})
}

// notARun refuses a run's name without words, also if it is misspelt.
func notARun(ctx context.Context, svc api.Service, text string) error {
	if strings.ContainsAny(text, " \t\n/") {
		return nil
	}
	_, err := svc.Run(ctx, text)
	if err == nil {
		return shell.Usagef("%s is a run; say what should change in it", text)
	}
	if core.CodeOf(err) != core.CodeNotFound {
		return err
	}
	runs, err := svc.Runs(ctx, api.RunQuery{Limit: recentRuns})
	if err != nil {
		return err
	}
	var aliases []string
	for _, r := range runs {
		aliases = append(aliases, r.Alias)
	}
	if meant := yamlfile.Nearest(text, aliases); meant != "" {
		return shell.UsageError{Err: core.Errorf(core.CodeInvalid, "there is no run %q, and no words say what should change", text).
			WithHint(`stellwerk feedback %s "…"`, meant)}
	}
	return nil
}

// recentRuns is among how many runs one is looked for that was probably meant.
const recentRuns = 100
