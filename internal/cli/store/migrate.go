package store

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func newMigrate(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "migrate",
		Short:       "Bring the store to the schema of this version",
		Long: `Brings the database to the schema that this version of Stellwerk works with, and
starts no engine. Engines do the same when they start; this is for a step of its
own before a team's engines are replaced. Engines of the release before may work
on a PostgreSQL database meanwhile and afterwards. On a SQLite file no engine
may run, and a copy is made first.

If the schema is that version already, or newer, nothing happens.`,
		Example: `  stellwerk store migrate
  stellwerk store migrate --store postgres://stellwerk@db.example.com/stellwerk`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return migrate(cmd.Context(), sh) },
	}
}

// migrated is what migrate says to programs.
type migrated struct {
	Store  string `json:"store"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Newest int64  `json:"newest"` // that this version knows
	Backup string `json:"backup,omitempty"`
}

func migrate(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	state, err := folder(opts)
	if err != nil {
		return err
	}
	place, err := backing.Find(state, opts.Store, opts.Objects)
	if err != nil {
		return err
	}
	m, err := place.Migrate(ctx, state)
	if err != nil {
		return err
	}
	return sh.Print(migrated{m.Store, m.From, m.To, m.Newest, m.Backup}, terminal.Wrap(terminal.Line(said(m)), sh.Console.Width())...)
}

func said(m backing.Migrated) string {
	switch {
	case m.To > m.Newest:
		return fmt.Sprintf("%s has schema version %d of a newer release, which this version may use. Nothing was done.", m.Store, m.To)
	case m.From == m.To:
		return fmt.Sprintf("%s has schema version %d already. Nothing was done.", m.Store, m.To)
	case m.Backup != "":
		return fmt.Sprintf("%s was brought from schema version %d to %d. A copy from before is at %s.", m.Store, m.From, m.To, m.Backup)
	}
	return fmt.Sprintf("%s was brought from schema version %d to %d.", m.Store, m.From, m.To)
}
