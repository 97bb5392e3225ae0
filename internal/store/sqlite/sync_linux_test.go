package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/disktest"
)

// A name that a crash could leave in front of nothing is no backup. SQLite syncs the copy, too; whoever does it first tells.
func TestABackupIsOnTheDiskBeforeItHasItsName(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a.db"), Options{})
	commit(t, s, "run/a")
	folder := t.TempDir()
	var err error
	if refused := disktest.FailSyncs(func() { err = s.Backup(t.Context(), filepath.Join(folder, "copy.db")) }); refused != nil {
		t.Fatal(refused)
	}
	if err == nil {
		t.Error("a backup is there that the disk did not take")
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
