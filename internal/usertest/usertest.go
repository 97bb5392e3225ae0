// Package usertest lets tests that run as root do the same as a user without
// privileges: root passes by permissions that hold everybody else, and lacks
// nothing that others have to do without. Only tests import it.
package usertest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody is the user and the group of that name on every system we know.
const nobody = 65534

// User is somebody to run programs as.
type User struct {
	ID   int
	Attr *syscall.SysProcAttr // for their processes; nil for who runs the tests
	Dir  string               // theirs alone, and gone after the test
	Self string               // a copy of this test binary in Dir
}

// Everybody runs a test as who runs the tests, and if that is root, as nobody, too.
func Everybody(t *testing.T, test func(t *testing.T, u User)) {
	t.Helper()
	ids := map[string]int{fmt.Sprint("as ", os.Getuid()): os.Getuid()}
	if os.Getuid() == 0 {
		ids["as nobody"] = nobody
	}
	for name, id := range ids {
		t.Run(name, func(t *testing.T) { test(t, newUser(t, id)) })
	}
}

// newUser has a folder in /var/tmp: the usual one for temporary files may be closed to others.
func newUser(t *testing.T, id int) User {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	u := User{ID: id, Dir: dir, Self: filepath.Join(dir, "self.test")}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copyFile(t, own, u.Self)
	u.give(t, dir)
	if id != os.Getuid() {
		u.Attr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
	}
	return u
}

// give makes a folder the user's own.
func (u User) give(t *testing.T, dir string) {
	t.Helper()
	if u.ID == os.Getuid() {
		return // whatever its group
	}
	if err := os.Chown(dir, u.ID, u.ID); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(errors.Join(err, in.Close()))
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(0o755)) // whatever the umask takes away
	if err := errors.Join(err, in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
}
