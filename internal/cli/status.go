package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

type statusOptions struct{ all bool }

func newStatus(sh *shell) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show runs, or one run in detail",
		Long: `Lists the runs of all repositories that are open, and the newest of those that
ended; --all lists every run. With a RUN, shows its stages, attempts and
checks, the evidence of a failing check, what waits, and what to type.

--json prints {"runs": […]}, with id, status, reason, stage, attempts and
cost_usd among others.`,
		Example: `  stellwerk status
  stellwerk status brisk-otter
  stellwerk status --json | jq -r '.runs[] | [.alias, .status] | @tsv'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), sh, first(args)) },
	}
	cmd.Flags().BoolVarP(&o.all, "all", "a", false, "every run")
	return cmd
}

// endedShown is how many ended runs a list shows besides the open ones.
const endedShown = 5

func (o *statusOptions) run(ctx context.Context, sh *shell, given string) error {
	return sh.connect(ctx, func(svc api.Service) error {
		if given != "" {
			return o.one(ctx, sh, svc, given)
		}
		runs, err := svc.Runs(ctx, api.RunQuery{})
		if err != nil {
			return err
		}
		if sh.json {
			return sh.printJSON(api.RunList{Runs: append([]api.Run{}, runs...)})
		}
		if !o.all {
			runs = recent(runs)
		}
		if len(runs) == 0 {
			sh.printf("No runs yet. Begin with: stellwerk run \"what you want done\"\n")
			return nil
		}
		sh.printLines(sh.view().Runs(runs))
		return nil
	})
}

func (o *statusOptions) one(ctx context.Context, sh *shell, svc api.Service, given string) error {
	detail, err := svc.Run(ctx, given)
	if err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(struct {
			Runs []api.RunDetail `json:"runs"`
		}{[]api.RunDetail{detail}})
	}
	sh.printLines(sh.view().Run(detail))
	return nil
}

// recent keeps the open runs and the newest of the ended ones, in order.
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
