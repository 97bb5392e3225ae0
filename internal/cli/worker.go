package cli

import "github.com/spf13/cobra"

// The commands below are started by the engine and by agents, not by people.
// They handle signals themselves: what runs beside an agent must outlive the
// interrupt that ends the engine.

func newWorker(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "worker FOLDER", Hidden: true, Args: cobra.ExactArgs(1),
		Short:       "Run beside an agent",
		Long:        `Runs the agent of an attempt's folder and records what it does.`,
		Example:     `  stellwerk worker attempts/0198c1d2/build.r1.a1`,
		Annotations: map[string]string{ownSignals: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitWith(sh.Worker(cmd.Context(), args[0]))
		},
	}
}

func newHandIn(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use: "hand-in SPEC", Hidden: true, Args: cobra.ExactArgs(1),
		Short:       "Hand in an attempt's work",
		Long:        `Collects what an attempt has done, inside its sandbox.`,
		Example:     `  stellwerk hand-in handin/spec.json`,
		Annotations: map[string]string{ownSignals: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return exitWith(sh.HandIn(cmd.Context(), args[0]))
		},
	}
}

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
