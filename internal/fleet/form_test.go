package fleet

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// addressFile has, in the folder of a fleet, the address of its database; without it the fleet has a SQLite file there.
const addressFile = "address"

// forms runs a test on each store that several engines can share.
func forms(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) {
		dir := t.TempDir()
		address := pgtest.Planted(t, "empty", func(ctx context.Context, address string) error {
			s, err := postgres.Open(ctx, address, postgres.Options{})
			if err != nil {
				return err
			}
			return s.Close()
		})
		if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(address), 0o600); err != nil {
			t.Fatal(err)
		}
		test(t, dir)
	})
}

// openStore opens the store of the fleet in a folder. Brakes says that no process may be stopped in one of its transactions: those
// of a SQLite file keep everybody out, those of a server are over when it has them.
func openStore(ctx context.Context, dir string) (s store.Store, brakes bool, err error) {
	address, err := os.ReadFile(filepath.Join(dir, addressFile))
	if errors.Is(err, fs.ErrNotExist) {
		s, err = sqlite.Open(ctx, filepath.Join(dir, "stellwerk.db"), sqlite.Options{LazyLooks: true, BusyTimeout: time.Minute})
		return s, true, err
	}
	if err == nil {
		s, err = postgres.Open(ctx, string(address), postgres.Options{LazyLooks: true})
	}
	return s, false, err
}
