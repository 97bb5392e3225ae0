package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestABackupThatIsNotWholeIsNotRestored(t *testing.T) {
	backup := t.TempDir()
	state := filepath.Join(t.TempDir(), "state")
	try := func(want string) {
		t.Helper()
		if err := Restore(t.Context(), state, backup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
		if _, err := os.Stat(state); err == nil {
			t.Error("something was restored")
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(backup, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try("is no backup")
	write("stellwerk.db", "x")
	try("was cut short")
	if err := seal(backup, "1.0"); err != nil {
		t.Fatal(err)
	}
	write("more", "y")
	try("not what it was")
	write(sealFile, `{"format": 3, "version": "9.0", "at": "2026-03-01T00:00:00Z", "files": 1, "bytes": 1}`)
	try("format 3")
	write(sealFile, `{torn`)
	try("does not say")
}

// TestABackupIsStoreAndObjects: caches are not in it, and files that somebody is about to rename are not either.
func TestABackupIsStoreAndObjects(t *testing.T) {
	from, err := statefolder.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blobs/ab/cdef", "blobs/.new-1", "runs/r1/manifest.jsonl", "yards/p.git/HEAD"} {
		path := filepath.Join(from.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(t.TempDir(), "backup")
	if err := Write(t.Context(), from, sqlitetest.Open(t, from.Database()), copied, "1.0"); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, copied); !slices.Equal(got, []string{"backup.json", "blobs/ab/cdef", "stellwerk.db"}) {
		t.Errorf("the backup has %v", got)
	}
}

// TestABackupOfAnEarlierVersionIsRestored: its yards and run folders are the only copies of what its runs made.
func TestABackupOfAnEarlierVersionIsRestored(t *testing.T) {
	backup, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	all := []string{"blobs/ab/cdef", "runs/r1/artifacts/build.r1/yarn.lock", "stellwerk.db", "yards/p.git/refs/heads/feature/tmp_x"}
	for _, name := range all {
		path := filepath.Join(backup, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	sealed := `{"format": 1, "version": "1.0", "at": "2026-03-01T00:00:00Z", "files": 4, "bytes": 4}`
	if err := os.WriteFile(filepath.Join(backup, sealFile), []byte(sealed), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), state, backup); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(filesIn(t, state), func(name string) bool { return name == "engine.lock" })
	if !slices.Equal(got, all) {
		t.Errorf("restored are %v", got)
	}
}

func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
