package cli

import "github.com/spf13/cobra"

func newDemo(sh *shell) *cobra.Command {
	o := DemoOptions{}
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "See a whole run with scripted agents",
		Long: `Makes a small repository in a temporary folder and takes a goal to a pull
request there with scripted agents, of which one lies, one crashes and one
needs feedback. Needs nothing but git, costs nothing, and says at the end
what was prevented and where to look.`,
		Example: `  stellwerk demo
  stellwerk demo --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.State, o.Console = sh.stateFlag, sh.Console
			return exitWith(sh.Demo(cmd.Context(), o))
		},
	}
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "answer its gates")
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "keep its folder")
	return cmd
}
