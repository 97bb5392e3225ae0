package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFilesOfTheSystemAreCopied: what a sandbox shows of /etc has the names, types, modes and contents that it has outside, is
// nobody's to write, and is nothing else. A copy belongs to who runs the sandbox.
func TestFilesOfTheSystemAreCopied(t *testing.T) {
	var shown, names []string
	for _, path := range systemPaths("linux") {
		if strings.HasPrefix(path, "/etc/") {
			shown, names = append(shown, path), append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	describe := fmt.Sprintf(`for p in %s; do stat -L -c '%%n %%a %%F' $p; [ ! -f $p ] || md5sum < $p; done`, strings.Join(shown, " "))
	want, err := exec.Command("/bin/sh", "-c", describe).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	for _, network := range []Network{{}, {Closed: true}} {
		asEverybody(t, func(t *testing.T, u user) {
			spec := Spec{Dir: u.Dir, Writable: []string{u.Dir}, Network: network}
			if got, err := inside(t, spec, u.Attr, describe); err != nil || got != string(want) {
				t.Errorf("%v; inside is\n%s\noutside\n%s", err, got, want)
			}
			if got, err := inside(t, spec, u.Attr, "LC_ALL=C ls -A /etc"); err != nil || got != strings.Join(names, "\n")+"\n" {
				t.Errorf("%v; /etc has\n%s\nwant %q", err, got, names)
			}
			got, err := inside(t, spec, u.Attr, `id -u; stat -c %u /etc/passwd
				for n in /etc/passwd /etc/new; do (: >> $n) 2>/dev/null && echo "wrote $n"; chmod 777 /etc/passwd 2>/dev/null && echo changed; rm -f /etc/passwd 2>/dev/null && echo removed; done
				for n in $(seq 3 60); do case $(readlink /proc/self/fd/$n) in /etc/*) echo has $n; esac; done`)
			if id := fmt.Sprint(u.ID); err != nil || got != id+"\n"+id+"\n" {
				t.Errorf("%v: %s", err, got)
			}
		})
	}
}

// TestFilesThatAreNotCopied are mounted, so that the process sees what becomes of them.
func TestFilesThatAreNotCopied(t *testing.T) {
	bwrap := "echo bubblewrap "
	for name, c := range map[string]struct {
		version string
		m       mount
		spec    Spec
		want    bool
	}{
		"a file":                        {"0.8.0", mount{"/etc/passwd", readOnly}, Spec{}, true},
		"an older bubblewrap":           {"0.7.0", mount{"/etc/passwd", readOnly}, Spec{}, false},
		"a folder":                      {"0.8.0", mount{"/etc/ssl", readOnly}, Spec{}, false},
		"a file that somebody names":    {"0.8.0", mount{"/etc/passwd", readOnly}, Spec{ReadOnly: []string{"/etc/passwd"}}, false},
		"a writable file":               {"0.8.0", mount{"/etc/passwd", writable}, Spec{}, false},
		"one elsewhere":                 {"0.8.0", mount{"/usr/bin/env", readOnly}, Spec{}, false},
		"hosts in an open network":      {"0.8.0", mount{"/etc/hosts", readOnly}, Spec{}, false},
		"hosts in a closed one":         {"0.8.0", mount{"/etc/hosts", readOnly}, Spec{Network: Network{Closed: true}}, true},
		"a file that is gone meanwhile": {"0.8.0", mount{"/etc/none", readOnly}, Spec{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			pretend(t, bwrap+c.version)
			c.spec.Argv, c.spec.Dir = []string{"x"}, "/"
			launch, err := bubblewrap(plan{mounts: []mount{c.m}}, c.spec)
			if err != nil || (len(launch.copies) == 1) != c.want || slices.Contains(launch.Argv, c.m.path) == c.want {
				t.Errorf("%v; copied is %v, and the arguments are %q", err, launch.copies, launch.Argv)
			}
		})
	}
}

// TestACopyIsMadeAtEachStart, with the content and the numbers of then, and beside other files that the process inherits.
func TestACopyIsMadeAtEachStart(t *testing.T) {
	requireSandbox(t)
	dir := t.TempDir()
	spec := Spec{Argv: []string{"/bin/cat", "/etc/one", "/etc/two", fmt.Sprintf("/proc/self/fd/%d", FirstFile)}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}
	launch, err := Command(Sandbox, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"before ", "after "} {
		one, two, three := write(t, filepath.Join(dir, "1"), text), write(t, filepath.Join(dir, "2"), text), write(t, filepath.Join(dir, "3"), text)
		file, err := os.Open(three)
		if err != nil {
			t.Fatal(err)
		}
		launch.Files = []*os.File{file}
		launch.copies = []copied{{one, "/etc/one", 0o644}, {dir + "/none", "/etc/none", 0o644}, {two, "/etc/two", 0o600}}
		before := descriptors(t)
		if out, err := launched(t, launch, spec.Env, nil); err != nil || out != strings.Repeat(text, 3) {
			t.Errorf("%v: %q", err, out)
		}
		if after := descriptors(t); after != before {
			t.Errorf("%d descriptors are open, before there were %d", after, before)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	launch.Files, launch.copies = nil, []copied{{filepath.Join(dir, "1", "below"), "/etc/one", 0o644}}
	if _, err := launch.Start(exec.Command(launch.Argv[0], launch.Argv[1:]...)); err == nil {
		t.Error("a file that cannot be opened is left out")
	}
}

// TestACopyIsNamedByItsNumber without a sandbox: one with wrong numbers does not start, and tests of it are skipped.
func TestACopyIsNamedByItsNumber(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "file"), "")
	files, args, err := openCopies([]copied{{file, "/etc/one", 0o644}, {dir + "/none", "/etc/none", 0o644}, {file, "/etc/two", 0o600}}, 7)
	const want = "--perms\x000644\x00--file\x007\x00/etc/one\x00--perms\x000600\x00--file\x008\x00/etc/two\x00"
	if err != nil || len(files) != 2 || string(args) != want {
		t.Errorf("%v; %d files, %q", err, len(files), args)
	}
	if err := closeAll(files); err != nil {
		t.Error(err)
	}
}

// TestAMaskIsPutOnce.
func TestAMaskIsPutOnce(t *testing.T) {
	const path = "/etc/ssl/private"
	for _, c := range []struct {
		mounts []mount
		want   bool
	}{
		{[]mount{{"/etc/ssl", readOnly}, {path, hidden}}, true},
		{[]mount{{"/etc/ssl", readOnly}}, false},
		{[]mount{{"/etc/ssl", readOnly}, {path, hidden}, {path + "/key", readOnly}}, false},
		{[]mount{{"/etc/ssl", readOnly}, {path + "/key", hidden}}, false},
		{nil, false},
	} {
		if got := (plan{mounts: c.mounts}).masks(path); got != c.want {
			t.Errorf("%v: %v", c.mounts, got)
		}
	}
}
