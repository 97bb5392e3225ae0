package runfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTidyRemovesWhatOthersLeft: whoever wrote it is gone, even if its process number
// is in use again. What this process writes stays, and so does everything that is whole.
func TestTidyRemovesWhatOthersLeft(t *testing.T) {
	dir, other := t.TempDir(), strings.Repeat("A", 26)
	files := map[string]bool{ // whether they stay
		".pool.json." + other + "-0":                 false,
		"waves/.wave_01_compact.md." + other + "-2":  false,
		fmt.Sprintf(".pool.json.%d-0", os.Getppid()): false,
		fmt.Sprintf(".pool.json.%d-0", os.Getpid()):  false,
		".pool.json." + writer + "-0":                true,
		"artifacts/notes." + other + "-0":            true,
		"artifacts/latest/.hidden.md":                true,
		"pool.json":                                  true,
	}
	for name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := f.Tidy(); err != nil {
		t.Fatal(err)
	}
	for name, stays := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v, and it is to stay: %t", name, err, stays)
		}
	}
}
