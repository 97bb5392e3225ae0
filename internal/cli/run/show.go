package run

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

type showOptions struct{ run string }

func NewShow(sh *shell.Shell) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use:   "show [DOCUMENT] [flags]",
		Short: "Show the documents of a run",
		Long: `Shows a document that a run's agents handed in, such as plan.md or review.md, in
its newest accepted version. Without a name, lists what was handed in last.`,
		Example: `  stellwerk show
  stellwerk show plan.md
  stellwerk show review.md --run brisk-otter`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.show(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().StringVar(&o.run, "run", "", "the `RUN` (default the one here)")
	shell.CompleteFlag(cmd, "run", func(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return shell.CompleteRuns(sh)(cmd, nil, prefix)
	})
	return cmd
}

func (o *showOptions) show(ctx context.Context, sh *shell.Shell, name string) error {
	return sh.WithRun(ctx, o.run, func(svc api.Service, id string) error {
		if name != "" {
			return drive.PrintDocument(ctx, sh, svc, id, name)
		}
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return err
		}
		return listDocuments(sh, detail)
	})
}

func listDocuments(sh *shell.Shell, d api.RunDetail) error {
	all := view.Documents(d, "")
	var lines []string
	for _, doc := range all {
		lines = append(lines, fmt.Sprintf("%-24s %8d bytes  from %s", terminal.Line(doc.Name), doc.Bytes, terminal.Line(doc.Stage)))
	}
	return sh.PrintList(map[string][]view.Document{"documents": all}, lines, terminal.Line(d.Alias)+" has no documents yet")
}
