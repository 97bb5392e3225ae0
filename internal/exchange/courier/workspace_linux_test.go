package courier

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAWorkspaceThatTheAgentClosed is packed whole, for the worker removes it afterwards. It is packed as an ordinary user: root
// can read everything.
func TestAWorkspaceThatTheAgentClosed(t *testing.T) {
	root := t.TempDir()
	work := filepath.Join(root, wire.WorkName)
	for _, name := range []string{"closed/a", "listed/c", "b"} {
		path := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("content of "+name), 0)); err != nil {
			t.Fatal(err)
		}
	}
	foreign := false
	if os.Getuid() == 0 {
		const nobody = 65534
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, nobody, nobody))
		})
		if err := errors.Join(err, os.Chmod(filepath.Dir(root), 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, "another's"), nil, 0); err != nil {
			t.Fatal(err)
		}
		foreign = true
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	}
	if err := errors.Join(os.Chmod(filepath.Join(work, "closed"), 0), os.Chmod(filepath.Join(work, "listed"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	a := &attempt{Options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, root: root, most: maxSent}
	if sent, err := a.workspace(&shim.HandIn{}); err != nil || !slices.Equal(sent, []string{wire.FileWorkspace}) {
		t.Errorf("sent is %q, %v", sent, err)
	}
	if foreign != strings.Contains(log.String(), "[another's]") {
		t.Errorf("it says %s", &log)
	}
	packed, err := os.ReadFile(filepath.Join(root, wire.FileWorkspace))
	for _, name := range []string{"closed/a", "listed/c", "b"} {
		if err != nil || !strings.Contains(string(packed), "content of "+name) {
			t.Errorf("%s is missing, %v", name, err)
		}
	}
}
