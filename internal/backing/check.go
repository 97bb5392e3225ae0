package backing

import (
	"context"
	"errors"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
)

// Checked is what a check found.
type Checked struct {
	Store, Objects string // where they are
	Closed         string // why nobody may work on the store; "" if it is open
	Report         truth.Report
	// Snapshot is one that somebody keeps for so long that the database gets slower; nil for none.
	Snapshot *Snapshot
}

// Snapshot is one of a database that somebody else keeps.
type Snapshot = postgres.Snapshot

// oldSnapshot is after how many transactions a snapshot that is kept is spoken of.
const oldSnapshot = 100_000

// Check reads a store and all objects that it names. It changes nothing, and engines may work meanwhile.
func (p Place) Check(ctx context.Context, state statefolder.Folder, o truth.Options) (c Checked, err error) {
	w, err := p.whole(ctx, state, toRead)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, w.store.Close()) }()
	c.Store, c.Objects = w.Name, w.objects
	closure, err := w.Store.Closure(ctx)
	if err != nil {
		return c, err
	}
	if refusal := closure.Refusal("it"); refusal != nil {
		c.Closed = refusal.Error()
	}
	if db, ok := w.store.(*postgres.Store); ok {
		if c.Snapshot, err = db.OldestSnapshot(ctx, oldSnapshot); err != nil { // before there is one of ours
			return c, err
		}
	}
	c.Report, err = truth.Check(ctx, w.Pair, o)
	return c, err
}

// Migrated is what became of a store's schema.
type Migrated struct {
	Store string
	store.Schema
}

// Migrate brings a store to the schema of this program. It settles nothing else about it. Of a database, engines may work on it
// meanwhile; of a file, none may run.
func (p Place) Migrate(ctx context.Context, state statefolder.Folder) (m Migrated, err error) {
	if !config.IsDatabase(p.Store) {
		return p.migrateFile(ctx, state)
	}
	db, err := postgres.Open(ctx, p.Store, postgres.Options{})
	if err != nil {
		return m, err
	}
	return Migrated{nameOf(p.Store), db.Schema()}, db.Close()
}

func (p Place) migrateFile(ctx context.Context, state statefolder.Folder) (m Migrated, err error) {
	if _, err := os.Stat(state.Database()); err != nil {
		return m, core.Wrap(core.CodeNotFound, err, "there is no store in "+state.Dir+" yet", "check the state folder, or name a store").
			Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	lock, err := statefolder.Acquire(state)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	db, err := sqlite.Open(ctx, state.Database(), sqlite.Options{})
	if err != nil {
		return m, err
	}
	return Migrated{state.Database(), db.Schema()}, db.Close()
}
