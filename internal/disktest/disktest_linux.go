// Package disktest gives tests disks with faults: one that takes no sync, which tells a sync that was forgotten from one that was
// made; one that gets full, or lets nobody write. Only tests use it.
package disktest

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Mount returns a file system in memory of its own, with options such as "size=64k", until the test ends. It skips the test if
// nobody may mount anything here.
func Mount(t testing.TB, options string) string {
	t.Helper()
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		t.Skipf("a file system of its own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		// Whoever forks at this moment, in another test, has every file open until it starts its program.
		if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return folder
}

// ReadOnly lets nobody write to a file system of Mount any more.
func ReadOnly(t testing.TB, folder string) {
	t.Helper()
	if err := unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("cannot be mounted read-only here: %v", err)
	}
}
