package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/demo"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

type demoOptions struct {
	yes bool
}

func newDemo(sh *shell.Shell) *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "demo [flags]",
		Short:       "Watch a whole run with scripted agents",
		Long: `Creates a small repository in a temporary folder and takes a goal to a pull
request there, with the feature playbook and scripted agents: one lies, one dies
at work, and a reviewer sends one back. The demo needs git and costs nothing. At
the end it says what Stellwerk prevented, where to look, and how to remove the
folder.`,
		Example: `  stellwerk demo
  stellwerk demo --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "approve its gates")
	return cmd
}

func (o *demoOptions) run(ctx context.Context, sh *shell.Shell) error {
	dir, err := os.MkdirTemp("", "stellwerk-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demonstration: %w", err)
	}
	repository, state := filepath.Join(dir, "greet"), cmp.Or(sh.StateFlag, filepath.Join(dir, "state"))
	if err := os.Mkdir(repository, 0o755); err != nil {
		return fmt.Errorf("make a folder for the demonstration: %w", err)
	}
	if err := demo.Prepare(ctx, repository, o.yes); err != nil {
		return err
	}
	args := o.args(ctx, sh, state)
	fmt.Fprintf(sh.Console.Out, "Created a small repository in %s\n"+
		"Its agents are scripted: one lies, one dies at work, one is sent back.\n\n", repository)
	inside := sh.Program
	inside.Dir = repository
	code := Run(ctx, inside, args)
	if err := explainDemo(ctx, sh, repository, state); err != nil {
		return err
	}
	fmt.Fprintf(sh.Console.Out, "  Everything is in %s. To remove it: rm -rf %s\n", dir, plain.ShellWord(dir))
	return shell.Exit(code)
}

// args is the ordinary run that the demonstration consists of.
func (o *demoOptions) args(ctx context.Context, sh *shell.Shell, state string) []string {
	args := []string{"run", demo.Goal, "--trust", "--state", state}
	if o.yes {
		args = append(args, "--yes")
	}
	if kind, reason := sh.Isolation(ctx); kind == config.IsolationNone {
		fmt.Fprintf(sh.Console.Out, "This machine has no isolation (%s); the demo runs without it.\n", reason)
		args = append(args, "--isolation", config.IsolationNone)
	}
	return args
}

// explainDemo says what was prevented, from the run's own events.
func explainDemo(ctx context.Context, sh *shell.Shell, repository, state string) error {
	inside := *sh
	inside.StateFlag = state
	return inside.Connect(ctx, func(svc api.Service) error {
		runs, err := svc.Runs(ctx, api.RunQuery{Dir: repository})
		if err != nil || len(runs) == 0 {
			return err
		}
		events, err := svc.Events(ctx, runs[0].ID, 0, 1000)
		if err != nil {
			return err
		}
		said, err := sayings(ctx, svc, runs[0].ID, events)
		if err != nil {
			return err
		}
		lines, err := demo.Explain(runs[0].Alias, repository, state, events, said)
		if err != nil {
			return err
		}
		fmt.Fprintf(sh.Console.Out, "\nWhat happened:\n  %s\n", strings.Join(lines, "\n  "))
		return nil
	})
}

// sayings is what the agents of a run said.
func sayings(ctx context.Context, svc api.Service, run string, events []core.Event) ([]string, error) {
	var said []string
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			return nil, err
		}
		exited, ok := body.(core.AttemptExited)
		if !ok {
			continue
		}
		out, err := svc.Output(ctx, run, exited.Attempt, 0)
		if err != nil {
			return nil, err
		}
		for _, r := range out.Records {
			said = append(said, r.Text)
		}
	}
	return said, nil
}
