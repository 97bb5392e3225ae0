package run

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

type diffOptions struct{ query api.DiffQuery }

func NewDiff(sh *shell.Shell) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:   "diff [RUN] [flags]",
		Short: "Show a run's changes",
		Long: `Shows what the run changed against its base, or what one stage changed in its
current round. In a file or a pipe, the output is a patch for git apply.`,
		Example: `  stellwerk diff
  stellwerk diff brisk-otter --stat
  stellwerk diff brisk-otter --stage build > build.patch`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().StringVar(&o.query.Stage, "stage", "", "only this `STAGE`")
	cmd.Flags().BoolVar(&o.query.Stat, "stat", false, "show only a summary")
	shell.CompleteStages(sh, cmd, "stage")
	return cmd
}

func (o *diffOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.WithRun(ctx, given, func(svc api.Service, id string) error {
		if !sh.JSON {
			detail, err := svc.Run(ctx, id)
			if err != nil {
				return err
			}
			return drive.PrintDiff(ctx, sh, svc, detail, o.query)
		}
		var text strings.Builder
		if err := svc.Diff(ctx, id, o.query, &text); err != nil {
			return err
		}
		return sh.PrintJSON(struct {
			Diff string `json:"diff"`
		}{text.String()})
	})
}
