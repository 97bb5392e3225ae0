package run

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func completeRunFlags(sh *shell.Shell, cmd *cobra.Command) {
	shell.CompletePlaybooks(sh, cmd)
	shell.Must(cmd.RegisterFlagCompletionFunc("network", shell.Choose(config.NetworkModes)))
	shell.Must(cmd.RegisterFlagCompletionFunc("isolation", shell.Choose(func() []string { return []string{config.IsolationSandbox, config.IsolationNone} })))
	shell.Must(cmd.RegisterFlagCompletionFunc("agent", shell.Offer(playbook.Uses)))
	shell.Must(cmd.RegisterFlagCompletionFunc("model-tier", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var tiers []cobra.Completion
		for _, t := range core.KnownTiers() {
			tiers = append(tiers, string(t))
		}
		return tiers, cobra.ShellCompDirectiveNoFileComp
	}))
	shell.Must(cmd.RegisterFlagCompletionFunc("coverage", cobra.NoFileCompletions))
}
