package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func newReader(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "reader ROLE",
		Short:       "Let a role of the database read the views",
		Long: `Lets a role of the PostgreSQL server read the views that are made for psql
and dashboards, and those that later versions add. It may read nothing else
and write nothing: tokens, sessions, keys and the tables stay closed to it. A
role that could do more is refused.

The role must exist: createuser --pwprompt grafana makes it. Repeated, the
command does nothing.`,
		Example: `  stellwerk store reader grafana
  stellwerk store reader grafana --store postgres://stellwerk@db/stellwerk`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return admitReader(cmd.Context(), sh, args[0]) },
	}
}

// admitted is what reader says to programs.
type admitted struct {
	Store string   `json:"store"`
	Role  string   `json:"role"`
	Views []string `json:"views"`
}

func admitReader(ctx context.Context, sh *shell.Shell, role string) error {
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
	a, err := place.AdmitReader(ctx, role)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("%s may read in %s, and nothing else: %s.", role, a.Store, strings.Join(a.Views, ", "))
	return sh.Print(admitted{a.Store, role, a.Views}, terminal.Wrap(terminal.Line(said), sh.Console.Width())...)
}
