// Package audit is the commands about signed history. What verifies is this program with the public keys
// that the person names, whatever engine the history comes from.
package audit

import (
	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

// New makes the command.
func New(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Sign, verify and export the history",
		Long: `Every event of a run or project carries the hash of the one before. Checkpoints
say where these chains stand, and are signed with your key: once something is
signed, nobody without the key can change it unnoticed, not even with access to
the database. Set audit.key in your settings, and the engine signs once an hour.`,
		Example: `  stellwerk audit sign
  stellwerk audit verify
  stellwerk audit export >history.jsonl`,
	}
	cmd.AddCommand(newSign(sh), newVerify(sh), newExport(sh))
	return cmd
}

// signers are the public keys that count: those that a flag or the settings name, or that of the person's own key.
func signers(sh *shell.Shell, file string) (audit.Signers, error) {
	if file != "" {
		return audit.ReadSigners(sh.Absolute(file))
	}
	settings, _, err := shell.Settings(sh.Env, nil)
	switch {
	case err != nil:
		return nil, err
	case settings.Audit.Signers.V != "":
		return audit.ReadSigners(settings.Audit.Signers.V)
	case settings.Audit.Key.V != "":
		key, err := audit.ReadKey(settings.Audit.Key.V)
		if err != nil {
			return nil, err
		}
		return audit.SignerOf(key, "your key"), nil
	}
	return nil, nil
}
