package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type stopOptions struct {
	drain, yes bool
	within     time.Duration
}

func NewStop(sh *shell.Shell) *cobra.Command {
	o := &stopOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local, shell.AtTerminal),
		Use:         "stop",
		Short:       "Stop the engine in the background",
		Long: `Stops the state folder's engine cleanly and waits until it is gone. Agents at
work go on, and the next engine finds them; to end those as well, first use
` + "`stellwerk pause --stop RUN`" + `. A command that currently drives a run leaves it,
as with Ctrl-C. If no engine runs, nothing happens.

With --drain the engine first gives its projects to the other engines on its
store. It begins nothing more, and goes on answering people and the agents at
work on its machine until those have ended; then it ends. --within bounds that.
` + "`stellwerk stop`" + ` without --drain ends the waiting at once. If no other engine is
there, nobody takes over: the projects stand still until an engine starts, and
the command asks first.`,
		Example: `  stellwerk stop
  stellwerk stop --state /srv/stellwerk
  stellwerk stop --drain --within 30m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !o.drain && (o.within != 0 || o.yes) {
				return shell.Usagef("--within and --yes need --drain")
			}
			if o.within < 0 {
				return shell.Usagef("--within must be positive")
			}
			if o.drain {
				return o.drained(cmd.Context(), sh)
			}
			return stop(cmd.Context(), sh)
		},
	}
	cmd.Flags().BoolVar(&o.drain, "drain", false, "give the work to other engines, then stop")
	cmd.Flags().DurationVar(&o.within, "within", 0, "with --drain: wait at most this long for the agents at work here")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "with --drain: also if no other engine takes over")
	return cmd
}

// stopAnswer is what stop says to programs.
type stopAnswer struct {
	State   string `json:"state"`
	Stopped bool   `json:"stopped"`
	PID     int    `json:"pid,omitempty"`
	Open    int    `json:"open_runs"`
}

// drainAnswer is what stop --drain says to programs.
type drainAnswer struct {
	State    string `json:"state"`
	Stopped  bool   `json:"stopped"`
	PID      int    `json:"pid,omitempty"`
	Projects int    `json:"projects"` // given to others
	Attempts int    `json:"attempts"` // waited for
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

// drained has the engine give its work to others, and waits until it has ended.
func (o *stopOptions) drained(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	req := api.Drain{Within: o.within, Alone: o.yes}
	d, wait, err := sh.Drain(ctx, opts, req)
	if err == nil && d.PID != 0 && !d.Begun {
		if err := confirmAlone(ctx, sh, d); err != nil {
			return err
		}
		req.Alone = true
		d, wait, err = sh.Drain(ctx, opts, req)
	}
	if err != nil {
		return err
	}
	if d.PID == 0 {
		return sh.Print(drainAnswer{State: opts.State}, fmt.Sprintf("No engine is running on %s.", opts.State))
	}
	sh.Tell("", waiting(d))
	if err := wait(ctx); err != nil {
		return err
	}
	return sh.Print(drainAnswer{opts.State, true, d.PID, d.Projects, d.Attempts},
		terminal.Wrap(fmt.Sprintf("Stopped the engine of %s, process %d.", opts.State, d.PID), sh.Console.Width())...)
}

// waiting says what an engine that drains waits for.
func waiting(d api.Drained) string {
	if d.Attempts == 0 {
		return "The engine drains: no agents are at work on its machine, so it ends now."
	}
	return fmt.Sprintf("The engine drains and waits for %s on its machine. `stellwerk stop` ends the waiting at once; Ctrl-C ends only this command.",
		wording.Count(d.Attempts, "attempt"))
}

// confirmAlone asks a person whether an engine may end that nobody takes over from.
func confirmAlone(ctx context.Context, sh *shell.Shell, d api.Drained) error {
	what := "no other engine works on this store, so nobody takes over"
	if d.Projects > 0 {
		what += fmt.Sprintf(": %s will stand still until an engine starts", wording.Count(d.Projects, "project"))
	}
	if !sh.Console.Ask || sh.JSON {
		return core.Errorf(core.CodeConflict, "%s", what).WithHint("start another engine first, or repeat with --yes")
	}
	yes, err := sh.Confirm(ctx, strings.ToUpper(what[:1])+what[1:]+". Drain all the same?")
	if err == nil && !yes {
		sh.Printf("Nothing was done.\n")
		err = shell.Exit(shell.ExitError)
	}
	return err
}
