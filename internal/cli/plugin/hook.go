package plugin

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/drive"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

func NewHook(sh *shell.Shell) *cobra.Command {
	rewake := false
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "hook", Hidden: true,
		Short: "Answer a Claude Code hook event",
		Long: `Reads a Claude Code hook event from standard input and prints the answer. The
plugin's hooks call this; people do not. It ignores sessions that own no run.

With --rewake, it waits while the engine verifies and exits with code 2 when the
session has something to do.`,
		Example: `  stellwerk hook < event.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			code, err := handleEvent(cmd.Context(), sh, rewake)
			if err != nil {
				return err
			}
			return shell.Exit(code)
		},
	}
	cmd.Flags().BoolVar(&rewake, "rewake", false, "wait for the engine and wake the session")
	return cmd
}

func handleEvent(ctx context.Context, sh *shell.Shell, rewake bool) (int, error) {
	data, err := hook.ReadBytes(sh.Console.In)
	if err != nil {
		return 0, err
	}
	opts, err := sh.Options()
	if err != nil {
		return 0, err
	}
	r := relay.Relay{State: opts.State, Env: sh.Env, Now: sh.Now, Connect: background(sh, opts), Rings: func() (bool, error) { return drive.Rings(sh) },
		Open: func(dir string) []api.Run { return shell.OpenRuns(opts.State, dir) }}
	if rewake {
		return r.Rewake(ctx, data, sh.Console.Err), nil
	}
	return r.Handle(ctx, data, sh.Console.Out, sh.Console.Err), nil
}

// background connects to an engine that outlives this process.
func background(sh *shell.Shell, opts shell.ConnectOptions) func(context.Context, bool) (api.Sessions, func() error, error) {
	return func(ctx context.Context, existing bool) (api.Sessions, func() error, error) {
		if !existing && !opts.Existing {
			if err := sh.Detach(ctx, opts); err != nil {
				return nil, nil, err
			}
		}
		opts := opts
		opts.Existing = true
		return sh.Dial(ctx, opts)
	}
}
