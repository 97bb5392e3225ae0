package engine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
)

func NewBackup(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "backup PATH",
		Short: "Write a backup of the state folder",
		Long: `Writes a consistent copy of the state folder to PATH while runs go on. PATH must
not exist yet. The backup leaves out attempts under way; after a restore, the
engine tries them again.`,
		Example: `  stellwerk backup ~/backups/stellwerk-$(date +%F)`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return writeBackup(cmd.Context(), sh, args[0]) },
	}
}

func writeBackup(ctx context.Context, sh *shell.Shell, path string) error {
	if !filepath.IsAbs(path) {
		if err := sh.NotElsewhere("a folder here", "give an absolute path on the engine's machine"); err != nil {
			return err
		}
	}
	path = sh.Absolute(path)
	return sh.Connect(ctx, func(svc api.Service) error {
		if err := svc.Backup(ctx, path); err != nil {
			return err
		}
		return sh.Print(api.Backup{Path: path}, fmt.Sprintf("Backup written to %s", path))
	})
}
