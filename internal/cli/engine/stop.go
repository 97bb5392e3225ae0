package engine

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func NewStop(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.Local, shell.AtTerminal),
		Use:         "stop",
		Short:       "Stop the engine in the background",
		Long: `Stops the state folder's engine cleanly and waits until it is gone. Agents at
work go on, and the next engine finds them; to end those as well, first use
` + "`stellwerk pause --stop RUN`" + `. A command that currently drives a run leaves it,
as with Ctrl-C. If no engine runs, nothing happens.`,
		Example: `  stellwerk stop
  stellwerk stop --state /srv/stellwerk`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return stop(cmd.Context(), sh) },
	}
}

// stopAnswer is what stop says to programs.
type stopAnswer struct {
	State   string `json:"state"`
	Stopped bool   `json:"stopped"`
	PID     int    `json:"pid,omitempty"`
	Open    int    `json:"open_runs"`
}

func stop(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	info, err := sh.Stop(ctx, opts)
	if err != nil {
		return err
	}
	if sh.JSON {
		return sh.PrintJSON(stopAnswer{State: opts.State, Stopped: info.PID != 0, PID: info.PID, Open: info.Runs})
	}
	if info.PID == 0 {
		sh.PrintText("", fmt.Sprintf("No engine is running on %s.", opts.State))
		return nil
	}
	sh.PrintText("", fmt.Sprintf("Stopped the engine of %s, process %d. Agents at work go on.", opts.State, info.PID))
	if info.Runs > 0 {
		sh.PrintText("  ", fmt.Sprintf("open runs: %d; the next engine continues them: stellwerk serve --detach", info.Runs))
	}
	return nil
}
