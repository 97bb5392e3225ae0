package audit

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func newExport(sh *shell.Shell) *cobra.Command {
	q := api.HistoryQuery{}
	cmd := &cobra.Command{
		Use:   "export [flags]",
		Short: "Print events and checkpoints as lines of JSON",
		Long: `Prints the checkpoints, then the events of each run and project in their order,
one JSON object a line, while the engine works on. docs/audit.md describes the
fields. The last line is {"record":"end",…}: without it, the export was cut
short. Secrets were removed before the events were written.

With --since, only what a checkpoint does not cover, or what happened at a time
or later. With --signed as well, exports of --since the checkpoint before follow
one another without overlap.`,
		Example: `  stellwerk audit export >history.jsonl
  stellwerk audit export --since 41 --signed
  stellwerk audit export --since 2026-03-01 --project shop`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return export(cmd.Context(), sh, q) },
	}
	cmd.Flags().StringVar(&q.Since, "since", "", "only after the checkpoint `N`, or since a time such as 2026-03-01T14:00:00Z")
	cmd.Flags().StringVar(&q.Run, "run", "", "only this `RUN`")
	cmd.Flags().StringVar(&q.Project, "project", "", "only this `PROJECT` and its runs")
	cmd.Flags().BoolVar(&q.Signed, "signed", false, "only what a checkpoint covers")
	cmd.MarkFlagsMutuallyExclusive("run", "project")
	shell.CompleteFlag(cmd, "run", shell.CompleteRuns(sh))
	shell.CompleteFlag(cmd, "project", shell.CompleteProjects(sh))
	shell.CompleteFlag(cmd, "since", cobra.NoFileCompletions)
	return cmd
}

func export(ctx context.Context, sh *shell.Shell, q api.HistoryQuery) error {
	bar := newProgress(sh)
	defer bar.end()
	onScreen := sh.Console.Width() > 0
	out := &lineWriter{line: func(line []byte) error {
		if onScreen { // what could do harm there is escaped
			line = terminal.JSON(bytes.TrimSuffix(line, []byte("\n")))
			line = append(line, '\n')
		} else {
			bar.step(line)
		}
		_, err := sh.Console.Out.Write(line)
		return err
	}}
	err := sh.Connect(ctx, func(svc api.Service) error { return svc.ExportHistory(ctx, q, out) })
	if err != nil {
		return err
	}
	return out.Close()
}
