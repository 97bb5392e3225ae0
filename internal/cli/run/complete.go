package run

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func completeRunFlags(sh *shell.Shell, cmd *cobra.Command) {
	shell.CompleteFlag(cmd, "playbook", shell.Offer(sh.PlaybookNames))
	shell.CompleteFlag(cmd, "network", shell.Choices(config.NetworkModes()...))
	shell.CompleteFlag(cmd, "isolation", shell.Choices(config.IsolationSandbox, config.IsolationNone))
	shell.CompleteFlag(cmd, "agent", shell.Offer(playbook.Uses))
	shell.CompleteFlag(cmd, "model-tier", shell.Choices(string(core.TierFast), string(core.TierBalanced), string(core.TierStrong)))
	shell.CompleteFlag(cmd, "coverage", cobra.NoFileCompletions)
}
