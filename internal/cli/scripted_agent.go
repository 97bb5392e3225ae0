package cli

import "github.com/spf13/cobra"

func newScriptedAgent(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "scripted-agent SCENARIO", Hidden: true, Args: cobra.ExactArgs(1),
		Short:       "Play a scenario as an agent",
		Long:        `Acts as an agent, good or bad, as a scenario file says.`,
		Example:     `  stellwerk scripted-agent scenario.yaml`,
		Annotations: map[string]string{ownSignals: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitWith(sh.ScriptedAgent(cmd.Context(), args[0]))
		},
	}
}
