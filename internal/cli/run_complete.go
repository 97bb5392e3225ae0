package cli

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func completeRunFlags(sh *shell, cmd *cobra.Command) {
	completePlaybooks(sh, cmd)
	must(cmd.RegisterFlagCompletionFunc("network", choose(config.NetworkModes)))
	must(cmd.RegisterFlagCompletionFunc("isolation", choose(func() []string { return []string{config.IsolationSandbox, config.IsolationNone} })))
	must(cmd.RegisterFlagCompletionFunc("agent", offer(playbook.Uses)))
	must(cmd.RegisterFlagCompletionFunc("model-tier", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var tiers []cobra.Completion
		for _, t := range core.KnownTiers() {
			tiers = append(tiers, string(t))
		}
		return tiers, cobra.ShellCompDirectiveNoFileComp
	}))
	must(cmd.RegisterFlagCompletionFunc("coverage", cobra.NoFileCompletions))
}
