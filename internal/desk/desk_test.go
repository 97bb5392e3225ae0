package desk

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func documents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := Documents(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDocumentsAreThePlainFiles(t *testing.T) {
	dir := t.TempDir()
	if got := documents(t, dir); len(got) != 0 {
		t.Errorf("of an empty desk: %v", got)
	}
	write(t, dir, ".ai/plan.md", "# Plan\n")
	write(t, dir, ".ai/notes.txt", "no document\n")
	write(t, dir, ".ai/.hidden.md", "no document\n")
	write(t, dir, ".ai/deep/spec.md", "no document\n")
	write(t, dir, "secret", "not on the desk\n")
	for name, target := range map[string]string{"out.md": "../secret", "in.md": "plan.md"} {
		if err := os.Symlink(target, filepath.Join(dir, Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, Folder, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(maps.Keys(documents(t, dir))); !slices.Equal(got, []string{PlanFile}) {
		t.Errorf("got %v", got)
	}
	write(t, dir, ".ai/big.md", strings.Repeat("x", maxDocument+1))
	if _, err := Documents(dir); err == nil {
		t.Error("a document without bounds was read")
	}
}

// TestADeskThatIsALink: a repository leads nobody's tools to files elsewhere.
func TestADeskThatIsALink(t *testing.T) {
	for _, inside := range []bool{true, false} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		if inside {
			elsewhere = filepath.Join(dir, "docs")
		}
		write(t, elsewhere, "diary.md", "Dear diary\n")
		if err := os.Symlink(elsewhere, filepath.Join(dir, Folder)); err != nil {
			t.Fatal(err)
		}
		if found, err := Documents(dir); err == nil {
			t.Errorf("read %v through a link", found)
		}
	}
}

// TestOrigin plays a turn: only what was changed since it was laid out, or since
// it was committed, is a change.
func TestOrigin(t *testing.T) {
	dir, note := t.TempDir(), filepath.Join(t.TempDir(), "origin.json")
	write(t, dir, ".ai/plan.md", "# Plan\n")
	write(t, dir, ".ai/context.md", "Context\n")
	if err := Lay(dir, note); err != nil {
		t.Fatal(err)
	}
	origin, err := Read(note)
	if err != nil || origin.Dir != dir || origin.Plan != digest("# Plan\n") {
		t.Fatalf("%+v, %v", origin, err)
	}
	if changed := origin.Changed(documents(t, dir)); len(changed) != 0 {
		t.Errorf("changed at once: %v", changed)
	}
	write(t, dir, ".ai/plan.md", "# Plan: better\n")
	changed := origin.Changed(documents(t, dir))
	if len(changed) != 1 || changed[PlanFile] != "# Plan: better\n" {
		t.Errorf("changed: %v", changed)
	}
	origin.Committed(changed, "as the engine says")
	if err := origin.Write(note); err != nil {
		t.Fatal(err)
	}
	if origin, err = Read(note); err != nil || origin.Plan != "as the engine says" {
		t.Fatalf("%+v, %v", origin, err)
	}
	if changed := origin.Changed(documents(t, dir)); len(changed) != 0 {
		t.Errorf("changed after the commit: %v", changed)
	}
}

func TestOriginOfAnEmptyDesk(t *testing.T) {
	dir, note := t.TempDir(), filepath.Join(t.TempDir(), "origin.json")
	if err := Lay(dir, note); err != nil {
		t.Fatal(err)
	}
	if origin, err := Read(note); err != nil || origin.Plan != "" || len(origin.Files) != 0 {
		t.Errorf("%+v, %v", origin, err)
	}
}
