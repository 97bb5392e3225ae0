package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func newRestore(sh *shell) *cobra.Command {
	return &cobra.Command{
		Annotations: onThisMachine(),
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

func restore(ctx context.Context, sh *shell, path string) error {
	path, err := sh.absolute(path)
	if err != nil {
		return err
	}
	opts, err := sh.options()
	if err != nil {
		return err
	}
	if err := sh.Restore(ctx, RestoreOptions{State: opts.State, Backup: path}); err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(struct {
			State string `json:"state"`
		}{opts.State})
	}
	sh.printf("Restored to %s\n", opts.State)
	return nil
}
