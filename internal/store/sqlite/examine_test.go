package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestExamine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	if err := Examine(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	s := openAt(t, path, Options{})
	if err := Examine(t.Context(), path); err != nil {
		t.Errorf("in use: %v", err)
	}
	otherwise(t, s, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	if err := Examine(t.Context(), path); !errors.Is(err, store.ErrNewer) || wording.Hint(err) == "" {
		t.Errorf("newer: %v", err)
	}
}

func TestExamineSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	damaged, folder := filepath.Join(dir, "damaged"), filepath.Join(dir, "folder")
	if err := errors.Join(os.WriteFile(damaged, []byte(strings.Repeat("no database ", 100)), 0o600), os.Mkdir(folder, 0o700)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{damaged: "is damaged", folder: "is not a file"} {
		if err := Examine(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) || wording.Hint(err) == "" {
			t.Errorf("%v, want %q and what to do", err, want)
		}
	}
	if os.Geteuid() == 0 {
		return // for whom every file can be written
	}
	locked := filepath.Join(dir, "locked")
	if err := os.WriteFile(locked, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := Examine(t.Context(), locked); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Error(err)
	}
}

// TestExamineAsAPlainUser: for root, every file can be written.
func TestExamineAsAPlainUser(t *testing.T) {
	t.Parallel()
	usertest.Again(t, nil, "TestExamineSaysWhatIsWrong")
}
