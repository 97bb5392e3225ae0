package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain makes this binary the go command of `make install`, too: the manual
// is the real one, and nobody waits for programs to be built.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "go" {
		os.Exit(m.Run())
	}
	if err := pretendGo(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pretendGo(args []string) error {
	switch args[0] {
	case "env":
		return nil // the Makefile asks where the linter is
	case "build":
		return pretendBuild(args)
	case "run":
		if len(args) == 3 && args[1] == "./deploy/manual" {
			return write(args[2])
		}
	}
	return fmt.Errorf("`make install` runs go %q, and this test knows nothing of it", args)
}

// pretendBuild writes a file for each program that go would build.
func pretendBuild(args []string) error {
	out := args[slices.Index(args, "-o")+1]
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, arg := range args {
		if program, is := strings.CutPrefix(arg, "./cmd/"); is {
			if err := os.WriteFile(filepath.Join(out, program), nil, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// installation is where a test installs to.
type installation struct{ dir, root string }

func newInstallation(t *testing.T) installation {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in := installation{dir: t.TempDir(), root: t.TempDir()}
	if err := os.Symlink(self, filepath.Join(in.dir, "go")); err != nil {
		t.Fatal(err)
	}
	return in
}

// make runs the repository's Makefile in a folder of its own, unaware of a `make test` around it.
func (in installation) make(t *testing.T, target string) {
	t.Helper()
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "make", "-f", makefile, target, "GO="+filepath.Join(in.dir, "go"), "DESTDIR="+in.root, "PREFIX=/usr")
	cmd.Dir, cmd.Env = in.dir, []string{"PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make %s: %v\n%s", target, err, out)
	}
}

// files are all below the root, with their permissions.
func (in installation) files(t *testing.T) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(in.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found[strings.TrimPrefix(path, in.root)] = info.Mode()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// others puts files of other programs where ours will be installed.
func (in installation) others(t *testing.T) map[string]fs.FileMode {
	t.Helper()
	for _, file := range []string{
		"bin/other", "share/man/man1/other.1", "share/bash-completion/completions/other", "share/zsh/site-functions/_other",
		"share/fish/vendor_completions.d/other.fish",
	} {
		path := filepath.Join(in.root, "usr", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return in.files(t)
}

// ours are the files that docs/install.md promises.
func ours(t *testing.T) map[string]fs.FileMode {
	t.Helper()
	all := map[string]fs.FileMode{
		"/usr/bin/stellwerk": 0o755, "/usr/bin/stellwerk-hook": 0o755, "/usr/bin/stellwerk-worker": 0o755,
		"/usr/share/bash-completion/completions/stellwerk":    0o644,
		"/usr/share/zsh/site-functions/_stellwerk":            0o644,
		"/usr/share/fish/vendor_completions.d/stellwerk.fish": 0o644,
	}
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadDir(filepath.Join(dir, "man1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		all["/usr/share/man/man1/"+page.Name()] = 0o644
	}
	return all
}

func TestInstallAndUninstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not on this machine, so that nothing is installed: ", err)
	}
	in := newInstallation(t)
	others := in.others(t)
	want := ours(t)
	maps.Copy(want, others)
	in.make(t, "install")
	compare(t, "after the installation", in.files(t), want)
	in.make(t, "uninstall")
	compare(t, "after its removal", in.files(t), others)
}

func compare(t *testing.T, when string, got, want map[string]fs.FileMode) {
	t.Helper()
	for path, mode := range want {
		if found, there := got[path]; !there {
			t.Errorf("%s, %s is missing", when, path)
		} else if found != mode {
			t.Errorf("%s, %s has permissions %s, want %s", when, path, found, mode)
		}
	}
	for path := range got {
		if _, wanted := want[path]; !wanted {
			t.Errorf("%s, %s should not be there", when, path)
		}
	}
}
