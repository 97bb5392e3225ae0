package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// TestPrivateFilesOfTheSystemAreHidden puts a service's password where administrators put services.
func TestPrivateFilesOfTheSystemAreHidden(t *testing.T) {
	asEverybody(t, func(t *testing.T, u user) {
		for _, root := range []string{"/opt", "/usr/local"} {
			dir, err := os.MkdirTemp(root, "stellwerk-test-")
			if errors.Is(err, os.ErrPermission) {
				t.Skip("every file there belongs to somebody else")
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			lay(t, dir)
			spec := Spec{Dir: u.Dir, Writable: []string{u.Dir}}
			out, err := inside(t, spec, u.Attr, "cd "+dir+"; cat password group shut/password crowd/1; ls shut/inner crowd; sh private.sh; true")
			if err != nil || strings.Contains(out, "hunter2") {
				t.Errorf("below %s: %v: %s", root, err, out)
			}
			if out, err := inside(t, spec, u.Attr, "cd "+dir+" && cat open && ./tool && ls"); err != nil || !strings.HasPrefix(out, "public\nworks\n") {
				t.Errorf("below %s: %v: %s", root, err, out)
			}
		}
	})
}

func lay(t *testing.T, dir string) {
	t.Helper()
	for name, mode := range map[string]os.FileMode{
		"password": 0o600, "group": 0o640, "shut/password": 0o644, "shut/inner/password": 0o600, "open": 0o644, "tool": 0o755, "private.sh": 0o700,
	} {
		folder(t, dir, filepath.Dir(name))
		text := "hunter2\n"
		switch name {
		case "open":
			text = "public\n"
		case "tool":
			text = "#!/bin/sh\necho works\n"
		case "private.sh":
			text = "#!/bin/sh\necho hunter2\n"
		}
		path := write(t, filepath.Join(dir, name), text)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	folder(t, dir, "crowd")
	for i := range crowded + 1 {
		path := write(t, filepath.Join(dir, "crowd", fmt.Sprint(i)), "hunter2\n")
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, mode := range map[string]os.FileMode{"": 0o755, "shut": 0o700} {
		if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPrivateFilesThatAreListedAreShown is the way round for who needs one of them.
func TestPrivateFilesThatAreListedAreShown(t *testing.T) {
	requireSandbox(t)
	dir, err := os.MkdirTemp("/opt", "stellwerk-test-")
	if errors.Is(err, os.ErrPermission) {
		t.Skip("only who may write to /opt has private files there")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	lay(t, dir)
	_, err = Command(Sandbox, Spec{Dir: "/", Argv: []string{filepath.Join(dir, "private.sh")}})
	if !errors.Is(err, ErrNotVisible) || !strings.Contains(err.Error(), "read-only paths") {
		t.Errorf("a private program: %v", err)
	}
	for _, shown := range []string{dir, filepath.Join(dir, "private.sh")} {
		if out, err := inside(t, Spec{Dir: "/", ReadOnly: []string{shown}}, nil, filepath.Join(dir, "private.sh")); err != nil || out != "hunter2\n" {
			t.Errorf("with %s listed: %v: %s", shown, err, out)
		}
	}
	if out, err := inside(t, Spec{Dir: "/", ReadOnly: []string{filepath.Join(dir, "private.sh")}}, nil, "cat "+dir+"/password"); err == nil {
		t.Errorf("another private file is shown with it: %s", out)
	}
}

// TestWhatIsGoneIsNotHidden: a file that was deleted after the search keeps no process from starting.
func TestWhatIsGoneIsNotHidden(t *testing.T) {
	requireSandbox(t)
	gone := "/usr/local/stellwerk-test-gone/password"
	if out, err := inside(t, Spec{Dir: "/", Private: []string{gone}}, nil, "echo started"); err != nil || out != "started\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestASystemFolderThatIsPrivateIsNotShown has one that only its owner may enter, as /opt with mode 0700, and shows what is
// listed of it.
func TestASystemFolderThatIsPrivateIsNotShown(t *testing.T) {
	requireSandbox(t)
	dir := folder(t, t.TempDir(), "opt")
	password, tool := write(t, filepath.Join(dir, "password"), "hunter2\n"), write(t, filepath.Join(dir, "tool"), "listed\n")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Dir: "/", ReadOnly: []string{tool}, Argv: []string{"/bin/sh", "-c", "cat " + tool + " " + password + "; true"}}
	p, err := newPlan(append(systemPaths("linux"), dir), spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.hide(inspection{dir, look}.all(), spec); err != nil {
		t.Fatal(err)
	}
	if rules := slices.DeleteFunc(slices.Clone(p.mounts), func(m mount) bool { return m.path != dir }); len(rules) != 1 || rules[0].access != hidden {
		t.Errorf("the rules for the folder are %v", rules)
	}
	launch, err := bubblewrap(p, spec)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := launched(t, launch, []string{"PATH=" + os.Getenv("PATH")}, nil); err != nil || !strings.HasPrefix(out, "listed\n") || strings.Contains(out, "hunter2") {
		t.Errorf("%v: %s", err, out)
	}
}

// odd is a tree with a mount of somebody else's in it, and a file on a disk that fails.
type odd struct{ fstest.MapFS }

func (o odd) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "mount" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	entries, err := o.MapFS.ReadDir(name)
	for i, e := range entries {
		if e.Name() == "failing" {
			entries[i] = failing{e}
		}
	}
	return entries, err
}

type failing struct{ fs.DirEntry }

func (failing) Info() (fs.FileInfo, error) { return nil, syscall.EIO }

// TestWhatCannotBeLookedAtIsHidden, and refuses nothing else.
func TestWhatCannotBeLookedAtIsHidden(t *testing.T) {
	tree := odd{fstest.MapFS{
		"mount/x": {Mode: 0o644}, "mount": {Mode: fs.ModeDir | 0o755}, "tool/failing": {Mode: 0o644}, "tool/run": {Mode: 0o755}, "tool/key": {Mode: 0o600},
	}}
	found := searched(tree)
	slices.Sort(found)
	if want := []string{"/opt/mount", "/opt/tool/failing", "/opt/tool/key"}; !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}

// TestLooksAtFoldersFromWithin: a search of a real folder finds what one of the same tree by its paths finds.
func TestLooksAtFoldersFromWithin(t *testing.T) {
	root := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"a/b/open": 0o644, "a/b/key": 0o640, "a/set": 0o755 | fs.ModeSetuid, "shut/x": 0o644, "key": 0o600} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, "x")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, open := range []string{".", "a", "a/b"} { // whatever the umask
		if err := os.Chmod(filepath.Join(root, open), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(root, "shut"), 0o750), os.Symlink("key", filepath.Join(root, "link")), os.Symlink("shut", filepath.Join(root, "folder"))); err != nil {
		t.Fatal(err)
	}
	found := inspection{root, look}.all()
	slices.Sort(found)
	if want := []string{root + "/a/b/key", root + "/key", root + "/shut"}; !slices.Equal(found, want) {
		t.Errorf("found %q", found)
	}
	if err := os.Chmod(root, 0o750); err != nil {
		t.Fatal(err)
	}
	if found := (inspection{root, look}).all(); !slices.Equal(found, []string{root}) {
		t.Errorf("of a folder that is private itself: %q", found)
	}
	if found := (inspection{root + "/none", look}).all(); len(found) > 0 {
		t.Errorf("of none: %q", found)
	}
}
