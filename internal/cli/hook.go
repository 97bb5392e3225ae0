package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

func newHook(sh *shell) *cobra.Command {
	rewake := false
	cmd := &cobra.Command{
		Annotations: onThisMachine(),
		Use:         "hook", Hidden: true,
		Short: "Answer a Claude Code hook event",
		Long: `Reads a Claude Code hook event from standard input and prints the answer. The
plugin's hooks call this; people do not. It ignores sessions that own no run.

With --rewake, it waits while the engine verifies and exits with code 2 when the
session has something to do.`,
		Example: `  stellwerk hook < event.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			code, err := sh.handleEvent(cmd.Context(), rewake)
			if err != nil {
				return err
			}
			return exitWith(code)
		},
	}
	cmd.Flags().BoolVar(&rewake, "rewake", false, "wait for the engine and wake the session")
	return cmd
}

func (sh *shell) handleEvent(ctx context.Context, rewake bool) (int, error) {
	data, err := hook.ReadBytes(sh.Console.In)
	if err != nil {
		return 0, err
	}
	opts, err := sh.options()
	if err != nil {
		return 0, err
	}
	r := relay.Relay{State: opts.State, Env: sh.Env, Now: sh.Now, Connect: sh.background(opts), Rings: func() (bool, error) { return sh.rings() },
		Open: func(dir string) []api.Run { return openRuns(opts.State, dir) }}
	if rewake {
		return r.Rewake(ctx, data, sh.Console.Err), nil
	}
	return r.Handle(ctx, data, sh.Console.Out, sh.Console.Err), nil
}

// background reaches an engine that outlives this process.
func (sh *shell) background(opts ConnectOptions) func(context.Context, bool) (api.Sessions, func() error, error) {
	return func(ctx context.Context, existing bool) (api.Sessions, func() error, error) {
		if !existing && !opts.Existing {
			if err := sh.Detach(ctx, opts); err != nil {
				return nil, nil, err
			}
		}
		opts := opts
		opts.Existing = true
		return sh.Connect(ctx, opts)
	}
}
