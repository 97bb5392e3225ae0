package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func newProjects(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "projects",
		Short: "List the repositories under Stellwerk",
		Long: `Lists the repositories that Stellwerk knows, the one where something happened
last first: how each stands, what it is at, and what it took so far. Tasks are
those of all its runs.`,
		Example: `  stellwerk projects
  stellwerk projects --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return projects(cmd.Context(), sh) },
	}
}

func projects(ctx context.Context, sh *shell) error {
	return sh.connect(ctx, func(svc api.Service) error {
		list, err := svc.Projects(ctx)
		if err != nil {
			return err
		}
		if sh.json {
			return sh.printJSON(api.ProjectList{Projects: append([]api.Project{}, list...)})
		}
		if len(list) == 0 {
			sh.printf("No repository is under Stellwerk yet. `stellwerk run` puts one there.\n")
			return nil
		}
		sh.printLines(sh.view().Projects(list))
		return nil
	})
}
