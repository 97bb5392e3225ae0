package run

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/config"
)

func NewLimits(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "limits [RUN|PROJECT]",
		Short: "Show the limits and settings in force, and what is left",
		Long: `Shows the limits and settings for a run in the working directory, and where each
value comes from: a flag of run, the environment, your own settings, the
repository's ` + config.ProjectFile + `, or the defaults. A repository can
tighten limits and isolation, not loosen them.

Below that it shows what is used and what is left: of the attempts at once over
all runs, of what the repository's runs may use together, and of each open run.
With RUN or PROJECT, it shows only that; outside a repository, all projects with
open runs. A run keeps the limits it was started or resumed with.`,
		Example: `  stellwerk limits
  stellwerk limits brisk-otter
  STELLWERK_LIMITS_ATTEMPTS=5 stellwerk limits --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.CompleteOpenRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return limits(cmd.Context(), sh, shell.First(args)) },
	}
}

// limitsAnswer is the JSON of limits.
type limitsAnswer struct {
	Settings []view.Setting `json:"settings,omitempty"`
	Accounts []api.Account  `json:"accounts"`
}

func limits(ctx context.Context, sh *shell.Shell, of string) error {
	var settings []view.Setting
	var lines []string
	if of == "" {
		var err error
		if settings, err = inForce(sh); err != nil {
			return err
		}
		lines = append(sh.View().Settings(settings), "")
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		accounts, err := svc.Limits(ctx, api.LimitsQuery{Of: of, Dir: sh.Dir})
		if err != nil {
			return err
		}
		return sh.Print(limitsAnswer{settings, append([]api.Account{}, accounts...)}, append(lines, sh.View().Accounts(accounts)...)...)
	})
}

// inForce are the settings for a run that starts here.
func inForce(sh *shell.Shell) ([]view.Setting, error) {
	settings, warnings, err := sh.Repository().Settings()
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		sh.Warn([]string{w.String()})
	}
	var entries []view.Setting
	for _, e := range settings.Entries() {
		entries = append(entries, view.Setting{Key: e.Key, Value: e.Value, From: e.From.String()})
	}
	return entries, nil
}
