// Package store is the commands about a store as a whole. They work on it themselves, without an engine.
package store

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// New makes the command.
func New(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "store",
		Short:       "Check, move, migrate and share the store",
		Long: `The store is the database that holds the history and everything that follows
from it: a SQLite file in the state folder, or the PostgreSQL database of a
team. Its objects are the files that the history names. These commands work on a
store as a whole, and start no engine.`,
		Example: `  stellwerk store check
  stellwerk store move --to postgres://stellwerk@db.example.com/stellwerk
  stellwerk store migrate
  stellwerk store reader grafana`,
	}
	cmd.AddCommand(newCheck(sh), newMove(sh), newMigrate(sh), newReader(sh))
	return cmd
}

// folder is the state folder under the one name that it is known by. It need not exist if the store is elsewhere.
func folder(opts shell.ConnectOptions) (statefolder.Folder, error) {
	resolved, err := filepath.EvalSymlinks(opts.State)
	switch {
	case err == nil:
		return statefolder.Folder{Dir: resolved}, nil
	case errors.Is(err, fs.ErrNotExist) && opts.Store != "":
		return statefolder.Folder{Dir: opts.State}, nil
	case errors.Is(err, fs.ErrNotExist):
		return statefolder.Folder{}, missing(opts.State)
	}
	return statefolder.Folder{}, core.Wrap(core.CodeUnavailable, err, "the state folder cannot be read", "check "+opts.State)
}

func missing(state string) error {
	return core.Errorf(core.CodeNotFound, "there is no state folder at %s", state).WithHint("check --state and STELLWERK_STATE, or name a store with --store")
}
