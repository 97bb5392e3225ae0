package cli

import "github.com/spf13/cobra"

func newScriptedAgent(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "scripted-agent SCENARIO", Hidden: true, Args: cobra.ExactArgs(1),
		Short:       "Be an agent that plays a scenario",
		Long:        `Plays a scenario file as an agent would act, well or badly.`,
		Example:     `  stellwerk scripted-agent scenario.yaml`,
		Annotations: map[string]string{ownSignals: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitWith(sh.ScriptedAgent(cmd.Context(), args[0]))
		},
	}
}
