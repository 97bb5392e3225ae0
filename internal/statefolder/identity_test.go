package statefolder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// begin is the identity of an engine that starts on a folder and ends.
func begin(t *testing.T, dir string, shared bool, machine string) string {
	t.Helper()
	s, err := statefolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := statefolder.Acquire(s)
	if err != nil {
		t.Fatal(err)
	}
	id, err := lock.Identity(s, shared, func() string { return machine })
	if err == nil {
		err = lock.Release()
	}
	if err != nil || id == "" {
		t.Fatalf("%q, %v", id, err)
	}
	return id
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", dir, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return to
}

// TestIdentity stays with a folder. A copy of it, or the same on another machine, gets another one if the store is shared, and
// keeps that.
func TestIdentity(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(t *testing.T, dir string) (now string)
		shared  bool
		machine string
		same    bool
	}{
		"as it is":         {shared: true, same: true},
		"of its own store": {same: true},
		"moved": {func(t *testing.T, dir string) string {
			t.Helper()
			if err := os.Rename(dir, dir+"-moved"); err != nil {
				t.Fatal(err)
			}
			return dir + "-moved"
		}, true, "", true},
		"copied":                       {change: copied, shared: true},
		"copied with its store":        {change: copied, same: true},
		"on another machine":           {shared: true, machine: "another"},
		"a machine with another name":  {machine: "another", same: true},
		"of a version without origins": {without("engine.origin"), true, "", true},
		"identity removed":             {change: without("engine.id"), shared: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			first := begin(t, dir, false, "this")
			now, machine := dir, "this"
			if test.change != nil {
				now = test.change(t, dir)
			}
			if test.machine != "" {
				machine = test.machine
			}
			second := begin(t, now, test.shared, machine)
			if (first == second) != test.same {
				t.Errorf("%s became %s", first, second)
			}
			if third := begin(t, now, test.shared, machine); third != second {
				t.Errorf("the next life is %s, not %s", third, second)
			}
			if now != dir && exists(dir) && begin(t, dir, true, "this") != first {
				t.Error("the folder that was copied has another identity")
			}
		})
	}
}

// TestACopysIdentityComesLater: one that worked on its own store first is told apart on a shared one later.
func TestACopysIdentityComesLater(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first := begin(t, dir, false, "this")
	second := copied(t, dir)
	if begin(t, second, false, "this") != first || begin(t, second, true, "this") == first || begin(t, dir, true, "this") != first {
		t.Error("the copy and its origin are not told apart")
	}
}

func without(name string) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}
