package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
)

// TestAnArchiveWithoutTheUnreadable holds everything else. It reads as an ordinary user, for root can read everything.
func TestAnArchiveWithoutTheUnreadable(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b-closed/c", "d-closed", "e/f"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(filepath.Join(dir, "b-closed"), 0), os.Chmod(filepath.Join(dir, "d-closed"), 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "b-closed"), 0o700) }) // so that it can be removed
	if os.Getuid() == 0 {
		const nobody = 65534
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = unix.SetfsuidRetUid(0) }()
	}
	var packed bytes.Buffer
	left, err := archive.Write(&packed, dir)
	if err != nil || !slices.Equal(left, []string{"b-closed", "d-closed"}) {
		t.Errorf("left out is %q, %v", left, err)
	}
	var names []string
	for in := tar.NewReader(&packed); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
	}
	if !slices.Equal(names, []string{".", "a", "b-closed", "e", "e/f"}) {
		t.Errorf("archived is %q", names)
	}
}
