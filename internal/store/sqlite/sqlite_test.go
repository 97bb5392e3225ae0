package sqlite

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	for name, o := range map[string]Options{"durable": {}, "lazy looks": {LazyLooks: true}} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			storetest.Run(t, func(t *testing.T) store.Store {
				name := strings.NewReplacer("/", "_", "#", "_").Replace(t.Name())
				return openAt(t, filepath.Join(folder, name+".db"), o)
			})
		})
	}
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
