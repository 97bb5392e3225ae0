package engine

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/backup"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func NewRestore(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "restore BACKUP",
		Short:       "Restore the state folder from a backup",
		Long: `Restores a backup into the state folder, which must be new or empty and have no
running engine. It overwrites nothing, and refuses an incomplete backup.`,
		Example: `  stellwerk restore ~/backups/stellwerk-2026-03-01
  stellwerk restore --state /srv/stellwerk /backups/stellwerk-2026-03-01`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return restore(cmd.Context(), sh, args[0]) },
	}
}

func restore(ctx context.Context, sh *shell.Shell, path string) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	if err := backup.Restore(ctx, opts.State, sh.Absolute(path)); err != nil {
		return err
	}
	return sh.Print(map[string]string{"state": opts.State}, "Restored to "+opts.State)
}
