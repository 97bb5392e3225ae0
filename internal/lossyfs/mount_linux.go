package lossyfs

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"testing"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Mount shows a disk at a folder, which must be empty, until the returned function is called or the test ends. The process
// that mounts it must not use it, nor start another in it (exec.Cmd.Dir): a thread that waits for the kernel keeps the others
// from answering it. It skips the test if nobody may mount a file system of ours here.
func Mount(t testing.TB, d *Disk, folder string) (unmount func()) {
	t.Helper()
	device, err := mount(folder)
	if err != nil {
		t.Skipf("a file system of our own cannot be mounted here: %v", err)
	}
	served, err := fuse.NewServer(newServer(d), fmt.Sprintf("/dev/fd/%d", device), &fuse.MountOptions{
		DisableXAttrs: true, DisableReadDirPlus: true, MaxWrite: maxWrite,
		Logger: log.New(io.Discard, "", 0), // it tells of questions that this kernel has and older ones have not
	})
	if err != nil {
		t.Fatalf("answer the kernel: %v", errors.Join(err, unix.Unmount(folder, unix.MNT_DETACH)))
	}
	go served.Serve()
	unmount = sync.OnceFunc(func() {
		t.Helper()
		// Whoever still waits for an answer gets an error, and whoever still has files open keeps nobody from going on.
		if err := unix.Unmount(folder, unix.MNT_FORCE|unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", folder, err)
		}
		served.Wait()
	})
	t.Cleanup(unmount)
	return unmount
}

// maxWrite is how many bytes the kernel hands on at once.
const maxWrite = 1 << 20

// mount returns the device on which the kernel asks about the file system. No other process inherits it: the kernel takes the
// file system for dead when this process is.
func mount(folder string) (device int, err error) {
	if device, err = unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return -1, err
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,max_read=%d", device, os.Getuid(), os.Getgid(), maxWrite)
	if err := unix.Mount("lossyfs", folder, "fuse.lossyfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return -1, errors.Join(err, unix.Close(device))
	}
	return device, nil
}
