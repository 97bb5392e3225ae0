package crash

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/object/s3"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// place is where engines keep their store and their objects: a file and a folder, or a PostgreSQL database and a bucket.
type place struct{ Store, Objects string }

// server tells that the store is one that other processes run, and that can be away.
func (p place) server() bool { return config.IsDatabase(p.Store) }

// files are a store and objects in a folder.
func files(dir string) place {
	return place{Store: filepath.Join(dir, "stellwerk.db"), Objects: filepath.Join(dir, "blobs")}
}

// truth is the store, to look at, as nobody's engine.
type truth struct {
	store.Store
	openObjects func(context.Context) (object.Objects, error)
}

// openTruth opens what the world's engines keep. The caller closes it.
func (w *world) openTruth() (*truth, error) {
	if w.shared.server() {
		db, err := postgres.Open(context.Background(), w.shared.Store, postgres.Options{})
		if err != nil {
			return nil, err
		}
		return &truth{db, func(ctx context.Context) (object.Objects, error) {
			bucket, err := s3.Read(w.shared.Objects, os.Getenv)
			if err != nil {
				return nil, err
			}
			return s3.Open(ctx, db.Pool(), w.root, bucket)
		}}, nil
	}
	where := cmp.Or(w.shared, files(w.state))
	db, err := sqlite.Open(context.Background(), where.Store, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	return &truth{db, func(context.Context) (object.Objects, error) { return folder.Open(where.Objects) }}, nil
}

func (w *world) truth() *truth {
	w.t.Helper()
	db, err := w.openTruth()
	if err != nil {
		w.t.Fatal(err)
	}
	return db
}

func (w *world) shut(db *truth) {
	w.t.Helper()
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// objects are those that events name.
func (w *world) objects(db *truth) object.Objects {
	w.t.Helper()
	objects, err := db.openObjects(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return objects
}
