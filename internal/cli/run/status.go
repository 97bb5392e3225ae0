package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

type statusOptions struct{ all bool }

func NewStatus(sh *shell.Shell) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show runs, or one run in detail",
		Long: `Lists the open runs of all repositories and the newest ended ones; --all lists
every run. With a RUN, shows its stages, attempts and checks, the evidence of a
failing check, what waits, and what to type. The time is counted from the start
of the run, waiting included; limits counts working time only.

--json prints {"runs": […]}, with id, status, reason, stage, attempts, cost_usd
and more.`,
		Example: `  stellwerk status
  stellwerk status brisk-otter
  stellwerk status --json | jq -r '.runs[] | [.alias, .status] | @tsv'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, shell.First(args)) },
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "list every run")
	return cmd
}

// endedShown is how many ended runs a list shows.
const endedShown = 5

func (o *statusOptions) run(ctx context.Context, sh *shell.Shell, given string) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		if given != "" {
			return o.one(ctx, sh, svc, given)
		}
		return o.list(ctx, sh, svc)
	})
}

func (o *statusOptions) list(ctx context.Context, sh *shell.Shell, svc api.Service) error {
	folders, err := runFolders(sh) // before the runs: else a new one would look lost
	if err != nil {
		return err
	}
	runs, err := svc.Runs(ctx, api.RunQuery{})
	if err != nil {
		return err
	}
	lost := unknown(folders, runs)
	v := viewOf(sh, svc, runs)
	if sh.JSON {
		return sh.PrintJSON(api.RunList{Runs: append([]api.Run{}, runs...)})
	}
	if !o.all {
		runs = recent(runs)
	}
	if v.ProjectNames, err = projectNames(ctx, svc, runs); err != nil {
		return err
	}
	if len(runs)+len(lost) == 0 {
		sh.Printf("No runs yet. Start one: stellwerk run \"what you want done\"\n")
	}
	sh.PrintLines(v.Runs(runs))
	reportLost(sh, lost)
	return nil
}

// projectNames are the names of the runs' projects, if there are several.
func projectNames(ctx context.Context, svc api.Service, runs []api.Run) (map[string]string, error) {
	if !slices.ContainsFunc(runs, func(r api.Run) bool { return r.Project != runs[0].Project }) {
		return nil, nil
	}
	projects, err := svc.Projects(ctx, api.ProjectQuery{All: true})
	names := map[string]string{}
	for _, p := range projects {
		names[p.ID] = p.Name
	}
	return names, err
}

// viewOf is how runs look. Those that need an engine say so if none stays: one of
// this process ends with the command.
func viewOf(sh *shell.Shell, svc api.Service, runs []api.Run) view.View {
	v := sh.View()
	if v.Unattended = sh.EngineEnds(svc); !v.Unattended {
		return v
	}
	for i, r := range runs {
		if r.Status == core.StatusActive && r.Session == "" {
			runs[i].Next = fmt.Sprintf("no engine is running; `stellwerk resume %s` continues", r.Alias)
		}
	}
	return v
}

func (o *statusOptions) one(ctx context.Context, sh *shell.Shell, svc api.Service, given string) error {
	detail, err := svc.Run(ctx, given)
	if err != nil {
		return err
	}
	runs := []api.Run{detail.Run}
	v := viewOf(sh, svc, runs)
	detail.Run = runs[0]
	return sh.Print(map[string][]api.RunDetail{"runs": {detail}}, v.Run(detail)...)
}

// recent keeps the open runs and the newest ended ones, in order.
func recent(runs []api.Run) []api.Run {
	var kept []api.Run
	ended := 0
	for _, r := range runs {
		if r.EndedAt != nil {
			if ended++; ended > endedShown {
				continue
			}
		}
		kept = append(kept, r)
	}
	return kept
}
