package engine

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func NewEngines(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "engines",
		Short: "List the engines that work on the store",
		Long: `Lists the engines that share the store: the host and version of each, since when
it runs, whether it is alive, and the projects that it owns. Below them are the
projects that no engine can work on, and what each machine lacks.

An engine is alive until its lease ends, by the database's clock, and renews the
lease well before. One that was killed is listed as gone for a week, unless it
starts again; its projects go to others. An engine that has its state folder to
itself lists only itself.`,
		Example: `  stellwerk engines
  stellwerk engines --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return engines(cmd.Context(), sh) },
	}
}

func engines(ctx context.Context, sh *shell.Shell) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		list, err := svc.Engines(ctx)
		if err != nil {
			return err
		}
		return sh.Print(list, sh.View().Engines(list)...)
	})
}
