package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func newCompletion(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a completion script for your shell",
		Long: `Prints a script that lets your shell complete commands, flags, runs, stages and
projects.

Load it from your start-up file in bash, from a folder in $fpath in zsh, or from
~/.config/fish/completions in fish.`,
		Example: `  source <(stellwerk completion bash)
  stellwerk completion zsh > "${fpath[1]}/_stellwerk"
  stellwerk completion fish > ~/.config/fish/completions/stellwerk.fish`,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             []string{"bash", "zsh", "fish"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return cmd.Root().GenBashCompletionV2(sh.Console.Out, true)
			case "zsh":
				return cmd.Root().GenZshCompletion(sh.Console.Out)
			default:
				return cmd.Root().GenFishCompletion(sh.Console.Out, true)
			}
		},
	}
}
