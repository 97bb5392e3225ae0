package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// asNobody calls do on a thread that is another user's.
func asNobody(t *testing.T, do func() error) error {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	said := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		const nobody = 65534
		for _, call := range [][4]uintptr{{unix.SYS_SETGROUPS}, {unix.SYS_SETRESGID, nobody, nobody, nobody}, {unix.SYS_SETRESUID, nobody, nobody, nobody}} {
			if _, _, errno := unix.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 { // of this thread alone
				said <- errno
				return
			}
		}
		said <- do()
	}()
	return <-said
}

// dialed connects to a socket.
func dialed(socket string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Connect(fd, &unix.SockaddrUnix{Name: socket}), unix.Close(fd))
}

// TestAnotherUserAtTheWorkersSocket is kept out by its folder and, if that was opened to all, by the socket itself.
func TestAnotherUserAtTheWorkersSocket(t *testing.T) {
	t.Parallel()
	state := stateFolder(t)
	a, err := app.Open(t.Context(), memberOptions(state, t.TempDir(), ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	socket, err := statefolder.Folder{Dir: state}.WorkersSocket()
	if err != nil {
		t.Fatal(err)
	}
	if err := dialed(socket); err != nil {
		t.Errorf("its own user is kept out: %v", err)
	}
	for dir := filepath.Dir(socket); dir != os.TempDir() && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if err := asNobody(t, func() error { return dialed(socket) }); !errors.Is(err, unix.EACCES) {
			t.Fatalf("another user is told %v, with %s closed", err, dir)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(dir, info.Mode().Perm()|0o001); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := os.Chmod(dir, info.Mode().Perm()); err != nil {
					t.Error(err)
				}
			}()
		}
	}
	if err := asNobody(t, func() error { return dialed(socket) }); !errors.Is(err, unix.EACCES) {
		t.Errorf("another user is told %v, with every folder open", err)
	}
}
