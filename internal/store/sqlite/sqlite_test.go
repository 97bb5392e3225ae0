package sqlite

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/seedtest"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	seed := seedtest.Seed{Make: func(path string) error { return empty(t.Context(), path, migrations()) }}
	for name, o := range map[string]Options{"durable": {}, "lazy looks": {LazyLooks: true}} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			storetest.Run(t, func(t *testing.T) store.Store {
				path := databaseOf(t, folder)
				seed.Plant(t, path)
				return openAt(t, path, o)
			})
		})
	}
}

// databaseOf is the path of the database that belongs to t.
func databaseOf(t *testing.T, folder string) string {
	t.Helper()
	return filepath.Join(folder, strings.NewReplacer("/", "_", "#", "_").Replace(t.Name())+".db")
}

// empty makes an empty database of a schema.
func empty(ctx context.Context, path string, schema fs.FS) error {
	s, err := open(ctx, path, Options{}, schema)
	if err != nil {
		return err
	}
	return s.Close()
}

func openAt(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
