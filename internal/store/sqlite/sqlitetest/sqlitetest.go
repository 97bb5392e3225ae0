// Package sqlitetest opens databases for tests of what is kept in one. It must not
// be used outside of tests.
package sqlitetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/seedtest"
)

var seed = seedtest.Seed{Make: func(path string) error {
	db, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

// Plant puts an empty database at path, unless there is a file already.
func Plant(t testing.TB, path string) {
	t.Helper()
	seed.Plant(t, path)
}

// New is an empty database, closed when t ends.
func New(t testing.TB) *sqlite.Store {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "stellwerk.db"))
}

// Open is the database at path, as another engine sees it; closed when t ends.
func Open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	Plant(t, path)
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the database: %v", err)
		}
	})
	return db
}
