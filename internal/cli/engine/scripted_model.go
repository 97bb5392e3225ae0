package engine

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func NewScriptedModel(sh *shell.Shell) *cobra.Command {
	address, record := "", ""
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "scripted-model SCENARIO [flags]",
		Short:       "Play a scenario to a real agent program",
		Long: `Serves a scenario over the Messages API on this machine, so that you can try a
real agent program without a model. Prints the address to give it as
ANTHROPIC_BASE_URL.`,
		Example: `  stellwerk scripted-model scenario.yaml
  stellwerk scripted-model scenario.yaml --address 127.0.0.1:4000`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := worker.ScriptedModel(cmd.Context(), args[0], address, record, sh.Console.Out)
			if errors.Is(err, shell.ErrInterrupted) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().StringVar(&address, "address", "127.0.0.1:0", "`HOST:PORT` to listen on; this machine only")
	cmd.Flags().StringVar(&record, "record", "", "append every call to `FILE` as a line of JSON")
	return cmd
}
