package runfolder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTidyRemovesWhatTheDeadLeft: what somebody may still write stays, and so does
// everything that is whole.
func TestTidyRemovesWhatTheDeadLeft(t *testing.T) {
	gone := exec.CommandContext(t.Context(), "true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]bool{ // whether they stay
		fmt.Sprintf(".pool.json.%d-0", gone.Process.Pid):                false,
		fmt.Sprintf("waves/.wave_01_compact.md.%d-2", gone.Process.Pid): false,
		fmt.Sprintf(".pool.json.%d-0", os.Getpid()):                     true,
		fmt.Sprintf(".pool.json.%d-0", os.Getppid()):                    true,
		fmt.Sprintf("artifacts/notes.%d-0", gone.Process.Pid):           true,
		"artifacts/latest/.hidden.md":                                   true,
		"pool.json":                                                     true,
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
