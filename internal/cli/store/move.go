package store

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type moveOptions struct {
	to, objectsTo      string
	incomplete, giveUp bool
}

func newMove(sh *shell.Shell) *cobra.Command {
	o := &moveOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "move --to ADDRESS",
		Short:       "Move the store to another database",
		Long: `Moves the state folder's store with all its objects: into a PostgreSQL database,
from one into another, or back into the state folder. The new database must be
empty. No engine may run on the state folder or on either store, and agents at
work must have ended unless both stores are PostgreSQL databases.

Everything is verified on the way and again in its new place. Then the state
folder remembers the new store. The old one stays as it is, closed for good; you
delete it. If the move fails or is interrupted, the old store is open again, and
if the command was killed, repeat it: it begins again, or ends what was left.
--give-up opens the old store instead.

Passwords belong in ~/.pgpass or PGPASSWORD, the keys of a bucket in the AWS
variables.`,
		Example: `  stellwerk store move --to postgres://stellwerk@db.example.com/stellwerk
  stellwerk store move --to postgres:///stellwerk --objects-to s3://stellwerk/a
  stellwerk store move --to sqlite`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVar(&o.to, "to", "", "new database `ADDRESS`: postgres://…, or sqlite for a file in the state folder")
	cmd.Flags().StringVar(&o.objectsTo, "objects-to", "", "with a database: keep files at s3://`BUCKET/PREFIX` (default the database; from SQLite, what --objects says)")
	cmd.Flags().BoolVar(&o.incomplete, "incomplete", false, "move it although objects that it names are missing or damaged")
	cmd.Flags().BoolVar(&o.giveUp, "give-up", false, "open a store again whose move was cut short")
	cmd.MarkFlagsOneRequired("to", "give-up")
	for _, f := range []string{"to", "objects-to", "incomplete"} {
		cmd.MarkFlagsMutuallyExclusive(f, "give-up")
	}
	shell.CompleteFlag(cmd, "to", shell.Choices(config.StoreInFolder, "postgres://"))
	shell.CompleteFlag(cmd, "objects-to", shell.Choices(config.ObjectsInDatabase, "s3://"))
	return cmd
}

// moved is what move says to programs.
type moved struct {
	From string `json:"from"`
	answer
	Copied int    `json:"copied_objects"`
	Bytes  int64  `json:"copied_bytes"`
	Aside  string `json:"set_aside,omitempty"`
	Before bool   `json:"moved_before"`
}

func (o *moveOptions) run(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	state, err := folder(opts)
	if err == nil {
		if _, err = os.Stat(state.Dir); err != nil {
			err = missing(state.Dir)
		}
	}
	if err != nil {
		return err
	}
	if o.giveUp {
		return giveUp(ctx, sh, state, opts)
	}
	from, to, err := o.places(sh, state, opts)
	if err != nil {
		return err
	}
	bar := newProgress(sh)
	m, err := backing.Move(ctx, state, from, to, truth.Options{Progress: bar.step, Incomplete: o.incomplete})
	bar.end()
	a := moved{m.From, answered(m.To, m.Objects, m.Report), m.Report.Copied, m.Report.Bytes, m.Aside, m.Before}
	if err != nil {
		if !sh.JSON {
			printFaults(sh, a.Faults)
		}
		return err
	}
	if sh.JSON {
		return sh.PrintJSON(a)
	}
	printMoved(sh, state, a, opts.Store, to)
	return nil
}

// places are where the store is and where it goes.
func (o *moveOptions) places(sh *shell.Shell, state statefolder.Folder, opts shell.ConnectOptions) (from, to backing.Place, err error) {
	if to.Store, err = config.MoveTarget(o.to, sh.Env); err != nil {
		return from, to, shell.UsageError{Err: err}
	}
	if o.objectsTo != "" && !to.Shared() {
		return from, to, shell.Usagef("--objects-to needs --to postgres://…: with %s, files are in the state folder", config.StoreInFolder)
	}
	if to.Objects, err = config.ObjectsPlace(o.objectsTo); err != nil {
		return from, to, shell.UsageError{Err: err}
	}
	if from, err = backing.Source(state, opts.Store, opts.Objects, to); err != nil {
		return from, to, err
	}
	if to.Shared() && !from.Shared() {
		to.Objects = cmp.Or(to.Objects, opts.Objects)
	}
	return from, to, nil
}

func giveUp(ctx context.Context, sh *shell.Shell, state statefolder.Folder, opts shell.ConnectOptions) error {
	place, err := backing.Source(state, opts.Store, opts.Objects, backing.Place{Store: opts.Store})
	if err != nil {
		return err
	}
	name, err := place.GiveUpMove(ctx, state)
	if err != nil {
		return err
	}
	if sh.JSON {
		return sh.PrintJSON(map[string]string{"store": name})
	}
	sh.PrintText("", fmt.Sprintf("%s is open again. What was copied of it stays closed: remove it, or repeat the move.", name))
	return nil
}

func printMoved(sh *shell.Shell, state statefolder.Folder, a moved, named string, to backing.Place) {
	if a.Before {
		sh.PrintText("", fmt.Sprintf("%s had been moved to %s already. The state folder knows it now.", a.From, a.Store))
	} else {
		sh.PrintText("moved:   ", holds(a.answer))
		sh.PrintText("copied:  ", fmt.Sprintf("%s, %s", wording.Number(a.Copied, "object", "objects"), wording.Bytes(uint64(max(a.Bytes, 0)))))
		sh.PrintText("from:    ", a.From)
		sh.PrintText("to:      ", fmt.Sprintf("%s, objects in %s", a.Store, a.Objects))
		printFaults(sh, a.Faults)
	}
	sh.PrintText("", fmt.Sprintf("The state folder %s works with %s from now on. Next:", state.Dir, a.Store))
	for _, step := range next(a, named, to) {
		sh.PrintText("  - ", step)
	}
}

// next is what is left to a person after a move.
func next(a moved, named string, to backing.Place) []string {
	steps := []string{"see that all is there: `stellwerk status`; then start the engine again: `stellwerk serve --detach`"}
	switch {
	case !to.Shared() && named != "":
		steps = append(steps, "remove STELLWERK_STORE and STELLWERK_OBJECTS wherever they are set: the engine would refuse the old store")
	case to.Shared() && named != "" && named != to.Store:
		steps = append(steps, "set STELLWERK_STORE to the new address wherever the old one is set; engines on other machines learn it only so")
	case to.Shared():
		steps = append(steps, "give engines on other machines the same --store, and those that read the environment STELLWERK_STORE")
	}
	if a.Aside != "" {
		steps = append(steps, a.Aside+" is the database that this folder had before, and out of date: delete it when you like")
	}
	return append(steps, "keep "+a.From+" until you have a backup of the new store, then delete it. Nobody can work on it any more")
}
