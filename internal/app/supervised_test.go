package app_test

import (
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// stateFolder is a state folder that stays until nobody supervises an agent in it: those outlive the engine, and write
// until they have tidied up.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	sqlitetest.Plant(t, filepath.Join(dir, "stellwerk.db"))
	t.Cleanup(func() {
		if !waittest.Until(func() bool { return !supervised(t, dir) }) {
			t.Error("an agent's supervisor does not end")
		}
	})
	return dir
}

// supervised reports a supervisor at work: from its start to its end it holds the lock of its attempt.
func supervised(t *testing.T, state string) bool {
	t.Helper()
	started, err := filepath.Glob(filepath.Join(state, "attempts", "*", "*", "started"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range started {
		lock := flock.New(filepath.Join(filepath.Dir(s), "lock"))
		free, err := lock.TryRLock()
		if err != nil {
			t.Fatal(err)
		}
		if !free {
			return true
		}
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	return false
}
