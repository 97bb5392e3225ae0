// Package backing opens what engines keep their truth in, a store and its objects, where a person says: in the state folder, or in a
// PostgreSQL database and, with that, in the same database or a bucket. It sees to it that a state folder always works with the same
// store, and that all engines of a store use the same objects. It must not know what is kept.
package backing

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	objectpostgres "github.com/stellwerk-dev/stellwerk/internal/object/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// Place is where a store and its objects are.
type Place struct {
	// Store is the address of a PostgreSQL database, or a file that several engines share, for tests only; "" for the file in the
	// state folder.
	Store string
	// Objects is a bucket, s3://BUCKET/PREFIX; the database, config.ObjectsInDatabase; or a folder, for tests only. "" for what the engines of the store use, and in
	// a state folder for the folder there.
	Objects string

	noted note // about the state folder
}

// Find completes what a person said, which may be nothing, with what the state folder notes.
func Find(state statefolder.Folder, store, objects string) (Place, error) {
	noted, err := readNote(state)
	if err != nil {
		return Place{}, err
	}
	return Place{Store: cmp.Or(store, noted.Address), Objects: objects, noted: noted}, nil
}

// Shared tells that other engines may work with the same store.
func (p Place) Shared() bool { return p.Store != "" }

// Backing is an open store with its objects.
type Backing struct {
	Store   store.Store
	Objects object.Objects
	// Folder is where objects are on this machine, which no attempt may see; "" for nowhere but in the state folder.
	Folder string

	database, bucket bool
}

// Open opens a store and its objects. The caller closes the store.
func (p Place) Open(ctx context.Context, state statefolder.Folder, log *slog.Logger) (b Backing, err error) {
	if !config.IsDatabase(p.Store) {
		return p.openFile(ctx, state, log)
	}
	if p.noted.ID == "" {
		var err error
		if p.noted.ID, err = moved(ctx, state); err != nil {
			return Backing{}, err
		}
	}
	db, err := postgres.Open(ctx, p.Store, postgres.Options{LazyLooks: true})
	if err != nil {
		return Backing{}, err
	}
	b = Backing{Store: db, database: true}
	if err = p.agree(ctx, state, db); err == nil {
		err = p.settleObjects(ctx, state, db, &b)
	}
	if err != nil {
		return Backing{}, errors.Join(err, db.Close())
	}
	return b, nil
}

// moved is the identity of the store that took the place of the folder's own database; "" if nothing has happened in that. If something
// has, it refuses: nobody would find it in another store.
func moved(ctx context.Context, state statefolder.Folder) (id string, err error) {
	if !hasDatabase(state) {
		return "", nil
	}
	db, err := sqlite.Open(ctx, state.Database(), sqlite.Options{Closed: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := db.Closure(ctx)
	switch {
	case err != nil:
		return "", err
	case c.Reason == store.Left:
		return known(ctx, db, documentID)
	case c.Reason != "":
		return "", c.Refusal("database " + state.Database())
	}
	position, err := db.Position(ctx)
	if err != nil || position == 0 {
		return "", err
	}
	return "", core.Errorf(core.CodeInvalid, "the state folder %s has a database of its own", state.Dir).
		WithHint("use a new state folder, leave out the store, or move the database there").Offer(core.Choice{Verb: core.VerbMoveStore})
}

// hasDatabase reports a state folder with a database of its own.
func hasDatabase(state statefolder.Folder) bool {
	_, err := os.Stat(state.Database())
	return !errors.Is(err, fs.ErrNotExist) // what else is wrong with it is found when it is opened
}

func (p Place) openFile(ctx context.Context, state statefolder.Folder, log *slog.Logger) (b Backing, err error) {
	migrated := func(m sqlite.Migration) { log.Info("the database was brought up to date", "migration", m) }
	db, err := sqlite.Open(ctx, cmp.Or(p.Store, state.Database()), sqlite.Options{OnMigrate: migrated, LazyLooks: true})
	if err != nil {
		return Backing{}, err
	}
	b = Backing{Store: db, Folder: p.Objects}
	if b.Objects, err = folder.Open(cmp.Or(p.Objects, state.Objects())); err != nil {
		return Backing{}, errors.Join(err, db.Close())
	}
	return b, nil
}

// settleObjects opens the objects that all engines of a database use. The first engine decides.
func (p Place) settleObjects(ctx context.Context, state statefolder.Folder, db *postgres.Store, b *Backing) error {
	where, err := once(ctx, db, documentObjects, cmp.Or(p.Objects, config.ObjectsInDatabase))
	if err == nil {
		err = p.agreeOnObjects(where)
	}
	if err != nil {
		return err
	}
	return openObjects(ctx, state, db, where, b)
}

// agreeOnObjects refuses objects that are not those of the store.
func (p Place) agreeOnObjects(where string) error {
	if p.Objects != "" && p.Objects != where {
		return core.Errorf(core.CodeInvalid, "the engines of this store keep their objects in %s, not in %s", where, p.Objects).
			WithHint("leave out --objects")
	}
	return nil
}

func openObjects(ctx context.Context, state statefolder.Folder, db *postgres.Store, where string, b *Backing) (err error) {
	switch {
	case where == config.ObjectsInDatabase:
		b.Objects = objectpostgres.New(db.Pool(), state.Dir)
		return nil
	case filepath.IsAbs(where):
		b.Folder = where
		b.Objects, err = folder.Open(where)
		return err
	}
	bucket, err := s3.Read(where, os.Getenv)
	if err != nil {
		return err
	}
	b.bucket = true
	b.Objects, err = s3.Open(ctx, db.Pool(), state.Dir, bucket)
	return err
}

// Examine looks whether an engine could open the database in a state folder, and changes nothing. Errors: fs.ErrNotExist if there is
// none yet, or if the folder works with a shared store.
func Examine(ctx context.Context, dir string) error {
	state := statefolder.Folder{Dir: dir}
	noted, err := readNote(state)
	if err != nil {
		return err
	}
	if noted.Address != "" {
		return fs.ErrNotExist
	}
	return sqlite.Examine(ctx, state.Database())
}
