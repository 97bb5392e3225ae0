package dispatch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestSomethingElseThanAWorkspace keeps its attempt from ending as little as one that is too large: it stays where it is kept, and
// the record says so. A link is not followed.
func TestSomethingElseThanAWorkspace(t *testing.T) {
	secret := t.TempDir()
	write(t, filepath.Join(secret, ".git", "config"), "not the agent's")
	for name, put := range map[string]func(path string) error{
		"a socket": func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
		"a link":   func(path string) error { return os.Symlink(secret, path) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "no bundle"}}, nil)
			work := e.Layout.Workspace(e.run.ID, theAttempt)
			if err := errors.Join(os.RemoveAll(work), put(work)); err != nil {
				t.Fatal(err)
			}
			d := e.collected(t).Delivery
			if d.Workspace != "" || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "something else was put in its place") || len(d.Rejected) != 1 {
				t.Errorf("handed in is %+v", d)
			}
			if _, err := os.Lstat(filepath.Join(e.folder, "workspace")); err != nil {
				t.Error(err)
			}
			if got := content(t, filepath.Join(secret, ".git", "config")); got != "not the agent's" {
				t.Errorf("what a link leads to has changed: %s", got)
			}
		})
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(io.Discard, link); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a link in the place of a folder is archived: %v", err)
	}
}

// TestAWorkspaceThatCannotBeDisarmed everywhere is, as far as possible, and its attempt ends; the record warns of the rest. Not
// even root can name a path that is too long.
func TestAWorkspaceThatCannotBeDisarmed(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "no bundle"}}, nil)
	work := e.Layout.Workspace(e.run.ID, theAttempt)
	write(t, filepath.Join(work, "a", ".git", "config"), "before")
	write(t, filepath.Join(work, "z", ".git", "config"), "after")
	deep, err := os.OpenRoot(work)
	name := strings.Repeat("d", 250)
	for range 20 {
		if err != nil {
			t.Fatal(err)
		}
		above := deep
		if err = above.Mkdir(name, 0o700); err == nil {
			deep, err = above.OpenRoot(name)
		}
		err = errors.Join(err, above.Close())
	}
	if err := errors.Join(err, deep.Mkdir(".git", 0o700), deep.Close()); err != nil {
		t.Fatal(err)
	}
	d := e.collected(t).Delivery
	if len(d.Notes) != 1 || !strings.HasPrefix(d.Notes[0], "do not run git in the kept workspace: ") || !strings.Contains(d.Notes[0], "too long") || d.Workspace == "" {
		t.Errorf("handed in is %+.300v", d)
	}
	for _, beside := range []string{"a", "z"} {
		if got := content(t, filepath.Join(e.folder, "workspace", beside, "dot-git", "config")); got == "" {
			t.Errorf("%s is not disarmed", beside)
		}
	}
}
