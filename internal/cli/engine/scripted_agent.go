package engine

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func NewScriptedAgent() *cobra.Command {
	return &cobra.Command{
		Use: "scripted-agent SCENARIO", Hidden: true, Args: cobra.ExactArgs(1),
		Short:       "Play a scenario as an agent",
		Long:        `Acts as an agent, good or bad, as a scenario file says.`,
		Example:     `  stellwerk scripted-agent scenario.yaml`,
		Annotations: shell.Mark(shell.OwnSignals),
		RunE: func(cmd *cobra.Command, args []string) error {
			return shell.Exit(worker.ScriptedAgent(cmd.Context(), args[0]))
		},
	}
}
