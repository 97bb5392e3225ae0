package dispatch

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/archive"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAKeptWorkspaceIsDisarmed: git that a person runs in it must find nothing to
// obey, whatever names the agent took first and wherever an engine was killed
// meanwhile. Nothing of the work is lost over it.
func TestAKeptWorkspaceIsDisarmed(t *testing.T) {
	files := []string{".git/config", ".git/hooks/.git/config", "dot-git/config", "lib/.git", "lib/.GIT/config", "lib/dot-git", "lib/code.go", "shut/.git/config"}
	for name, before := range map[string]func(d *Dispatcher, run *core.Run, kept string) error{
		"at once": func(*Dispatcher, *core.Run, string) error { return nil },
		"after an engine that was killed in between": func(d *Dispatcher, run *core.Run, kept string) error {
			return os.Rename(d.workspace(run, "build.r1.a1"), kept)
		},
		"again": func(d *Dispatcher, run *core.Run, _ string) error {
			_, _, err := d.keepWorkspace(run, "build.r1.a1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(nil, Options{Layout: Layout{State: t.TempDir()}, Exchange: here("")})
			t.Cleanup(d.Close)
			run := &core.Run{ID: "run-1"}
			dir, folder := d.Layout.Workspace(run.ID, "build.r1.a1"), d.Layout.Attempt(run.ID, "build.r1.a1")
			for _, file := range files {
				write(t, filepath.Join(dir, file), file)
			}
			if err := os.Chmod(filepath.Join(dir, "shut"), 0o500); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := before(d, run, filepath.Join(folder, "workspace")); err != nil {
				t.Fatal(err)
			}
			kept, _, err := d.keepWorkspace(run, "build.r1.a1")
			if err != nil {
				t.Fatal(err)
			}
			if there := contents(t, kept); !slices.Equal(there, slices.Sorted(slices.Values(files))) {
				t.Errorf("kept are the contents of %q", there)
			}
		})
	}
}

// contents reads every file of a folder, and refuses what git would take for a
// repository.
func contents(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.EqualFold(entry.Name(), ".git") {
			t.Errorf("%s is left", path)
		}
		if entry.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		all = append(all, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// TestAKeptWorkspaceHoldsNoBareRepository: git takes a folder with a HEAD for a
// repository although it is not called .git, also one that was.
func TestAKeptWorkspaceHoldsNoBareRepository(t *testing.T) {
	d := New(nil, Options{Layout: Layout{State: t.TempDir()}, Exchange: here("")})
	t.Cleanup(d.Close)
	run := &core.Run{ID: "run-1"}
	dir := d.Layout.Workspace(run.ID, "build.r1.a1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, `git init -q --bare . && git init -q --bare nested && git init -q inner && git init -q --bare plain && rm -r plain/objects && echo ../nested > plain/commondir`)
	if err := os.MkdirAll(d.Layout.Attempt(run.ID, "build.r1.a1"), 0o700); err != nil {
		t.Fatal(err)
	}
	kept, _, err := d.keepWorkspace(run, "build.r1.a1")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "nested", "inner", "inner/dot-git", "plain"} {
		cmd := exec.Command("git", "rev-parse", "--git-dir")
		cmd.Dir = filepath.Join(kept, folder)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+d.Layout.State)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not a git repository") {
			t.Errorf("in %s git finds %s(%v)", folder, out, err)
		}
	}
}

// afar is the exchange of attempts on another machine.
type afar struct{ exchange.Exchange }

func (afar) Shared() bool { return false }

// TestAWorkspaceThatWasSent is kept in the same place and just as disarmed, also if the engine was killed in between and
// received the archive once more.
func TestAWorkspaceThatWasSent(t *testing.T) {
	d := New(nil, Options{Layout: Layout{State: t.TempDir()}, Exchange: afar{here("")}, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(d.Close)
	run, from := &core.Run{ID: "run-1"}, t.TempDir()
	folder := d.Layout.Attempt(run.ID, "build.r1.a1")
	write(t, filepath.Join(from, ".git/config"), "config")
	write(t, filepath.Join(from, "code.go"), "code")
	var packed bytes.Buffer
	if left, err := archive.Write(&packed, from); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	write(t, filepath.Join(folder, ".workspace", "half"), "of an engine that was killed")
	for _, time := range []string{"at first", "again"} {
		write(t, filepath.Join(folder, "workspace.tar"), packed.String())
		kept, _, err := d.keepWorkspace(run, "build.r1.a1")
		if err != nil || kept != filepath.Join(folder, "workspace") {
			t.Fatalf("%s it is kept in %s, %v", time, kept, err)
		}
		if there := contents(t, kept); !slices.Equal(there, []string{"code", "config"}) {
			t.Errorf("%s kept are the contents of %q", time, there)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
			t.Errorf("%s beside it is left %v, %v", time, left, err)
		}
	}
}

// TestAnArchiveThatCannotBeRead stays what it is, also among the objects, and the attempt can end. Nothing stays of what was
// unpacked before the fault.
func TestAnArchiveThatCannotBeRead(t *testing.T) {
	from := t.TempDir()
	write(t, filepath.Join(from, "code.go"), "code")
	var whole bytes.Buffer
	if left, err := archive.Write(&whole, from); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	for name, content := range map[string]string{
		"no archive": strings.Repeat("no archive", 100),
		"half a one": whole.String()[:whole.Len()-1024] + strings.Repeat("no archive", 100),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{Error: "no bundle"}}, nil)
			e.Exchange = afar{e.Exchange}
			packed := filepath.Join(e.folder, "workspace.tar")
			write(t, packed, content)
			if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
				t.Fatal(err)
			}
			d := e.engine.await(t).(core.AttemptExited).Delivery
			if len(d.Rejected) != 1 || !strings.Contains(d.Rejected[0], packed) || len(d.Notes) > 0 {
				t.Errorf("handed in is %+v", d)
			}
			if stored(t, e.Objects, d.Workspace) != content {
				t.Error("what is among the objects is another archive")
			}
			if _, err := os.Stat(packed); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(e.folder, ".workspace")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what was unpacked before the fault is left: %v", err)
			}
		})
	}
}
